"""Detects the format of a file from its first bytes, with its name as a hint."""

import io
import re

from conceptloom.errors import InputError
from conceptloom.readers.base import READERS
from conceptloom.readers.captions import CONCEPTUAL_LINE, FLICKR_HEADER, FLICKR_LINE
from conceptloom.readers.documents import Cursor
from conceptloom.readers.encoding import find_encoding
from conceptloom.readers.jsonl import DECODER

_BINARY = {
    b"PK\x03\x04": "a zip archive",
    b"PAR1": "a Parquet file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ\x00": "an xz file",
    b"\x28\xb5\x2f\xfd": "a zstandard file",
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an Office document",
}
_BY_NAME = {"csv": "table", "tsv": "table", "tab": "table", "jsonl": "jsonl", "ndjson": "jsonl"}
_NUL_SHARE = 0.01
_ARRAY = re.compile(r"\s*\[\s*[\[{\"\d\]]")
_HEAD_LINES = 50
_SHARE = 0.8  # of the first lines, as a few may be broken
_LINE_FORMS = {"flickr": FLICKR_LINE, "conceptual-captions": CONCEPTUAL_LINE}
_SEPARATORS = re.compile(r"[,;\t|]")
_ARRAY_KEYS = {"aihub-captions": "caption_ko", "vatex": "enCap"}
_IMAGES = re.compile(r'"images"\s*:\s*\[\s*\{[^{}]*"(file_name|coco_url)"\s*:')
_ANNOTATIONS = re.compile(r'"annotations"\s*:\s*\[\s*\{(?=[^{}]*"image_id"\s*:)(?=[^{}]*"caption"\s*:)')
_BY_IMAGE = re.compile(r'\{\s*"\d+"\s*:\s*\[\s*\[\s*"')
_VIDEO = re.compile(r'\{\s*"[^"]*"\s*:\s*\{(?=[^{}]*"timestamps"\s*:\s*\[)(?=[^{}]*"sentences"\s*:\s*\[)')
_DIALOGUES = re.compile(r'"body"\s*:\s*\{\s*"(dialogue|summary)"')


def find_format(path: str, head: bytes, encoding: str | None = None) -> str:
    """Returns the name of a file's format; raises InputError if it is unclear.

    `head` is the first 64 KiB of the file, decompressed; its encoding is found from it where none is given.
    """
    kind = next((kind for magic, kind in _BINARY.items() if head.startswith(magic)), None)
    if kind:
        raise InputError(f"{path}: this is {kind}; unpack or convert it to text first (.gz may stay)")
    text = head.decode(encoding or find_encoding(head), "replace").removeprefix("\ufeff")
    if text.count("\0") > _NUL_SHARE * len(text):
        raise _unclear(
            path, "it is binary, or UTF-16 without a byte-order mark: give --set inputs.NAME.encoding=utf-16-le, or"
        )
    if by_lines := _by_lines(text):
        return by_lines
    if _has_image_header(text):
        return "image-captions"
    by_name = _BY_NAME.get(_extension(path), "")
    return "table" if by_name == "table" else _by_content(path, text) or by_name or "lines"


def _by_lines(text: str) -> str:
    """Returns the format that nearly all of the first lines match; the last may be cut off by the end of the head."""
    head = [line.removesuffix("\r") for line in text.split("\n", _HEAD_LINES)]
    lines = [line for line in head[:_HEAD_LINES] if line.strip() and not FLICKR_HEADER.fullmatch(line.strip())]
    for name, form in _LINE_FORMS.items():
        if lines and sum(form.fullmatch(line) is not None for line in lines) >= _SHARE * len(lines):
            return name
    return ""


def _has_image_header(text: str) -> bool:
    """Returns whether the first line is a header with a column `caption` beside one whose name begins with `image`."""
    cells = [cell.strip(' \r"') for cell in _SEPARATORS.split(text.partition("\n")[0])]
    return "caption" in cells and any(cell.startswith("image") for cell in cells)


def _by_content(path: str, text: str) -> str:
    start = text.lstrip()
    if start.startswith("[SOS]"):
        return "published"
    if _ARRAY.match(text) and (first := _first_of_array(text)):
        return first
    if start.startswith("{"):
        return _of_object(path, text)
    if _extension(path) == "json":
        raise _unclear(path, "it is neither a JSON array nor JSON lines;")
    return ""


def _first_of_array(text: str) -> str:
    """Returns the format by the first record, or by visible keys if that is cut off; '' if this is not an array."""
    cursor = Cursor(io.BytesIO(text.encode("utf-8", "replace")), "utf-8", 1)
    try:
        cursor.take("[")
        first = None if cursor.peek() == "]" else cursor.value()
        cursor.take(",]")
    except InputError:
        if not re.match(r"\s*\[\s*\{", text):
            return ""
        found = (name for name, key in _ARRAY_KEYS.items() if re.search(rf'"{key}"\s*:\s*\[', text))
        return next(found, "json")
    found = (name for name, key in _ARRAY_KEYS.items() if isinstance(first, dict) and key in first)
    return next(found, "json")


def _of_object(path: str, text: str) -> str:
    """Returns the format of JSON lines, or of one object that holds the records."""
    line, _, rest = text.strip().partition("\n")
    try:
        first = DECODER.decode(line)
    except (ValueError, RecursionError):
        first = None
    if isinstance(first, dict) and "scene" in first and ("concept-set" in first or "concept_set" in first):
        return "commongen" if "reason" in first else "published"
    if _DIALOGUES.search(text) or (re.search(r'"numberOfItems"\s*:', text) and re.search(r'"data"\s*:\s*\[', text)):
        return "aihub-dialogues"
    if (first is None or not rest) and (known := _of_captions(text)):
        return known
    if isinstance(first, dict) and (rest or _extension(path) != "json"):
        return "jsonl"
    if _extension(path) in _BY_NAME:
        return _BY_NAME[_extension(path)]
    raise _unclear(path, "it is one JSON object: if it holds an array of records, choose json with its option items;")


def _of_captions(text: str) -> str:
    """Returns the format of one object of captions by its beginning, as the captions may lie beyond the head."""
    if _IMAGES.search(text) or _ANNOTATIONS.search(text):
        return "coco"
    if _BY_IMAGE.match(text.lstrip()):
        return "coco-references"
    return "activitynet" if _VIDEO.match(text.lstrip()) else ""


def _extension(path: str) -> str:
    return path.lower().removesuffix(".gz").rpartition("/")[2].rpartition(".")[2]


def _unclear(path: str, why: str) -> InputError:
    formats = ", ".join(READERS)
    return InputError(f"{path}: {why} name the format: --input NAME:FORMAT={path}, where FORMAT is one of {formats}")
