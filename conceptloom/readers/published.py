"""The data set's own formats, one example a line (Korean CommonGen's release).

JSON: {"concept-set": "a#b#c", "scene": "…"}; in a test file the scene is a list of references, empty for a set whose
references are still to be written.
Text: `[SOS] a#b#c = sentence [EOS]`; in a test file the references are separated by ` = `.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, ClassVar

from conceptloom.errors import InputError
from conceptloom.examples import Example
from conceptloom.readers.base import READERS, Entry, Malformed, ReaderEntry, Text
from conceptloom.readers.jsonl import parse_line
from conceptloom.readers.linewise import LINE_BYTES, read_lines
from conceptloom.readers.ranges import open_text
from conceptloom.readers.texts import checked, excerpt

_TEXT = re.compile(r"\[SOS\] (?P<concepts>.*?) = (?P<sentences>.*) \[EOS\]\s*", re.DOTALL)
PLAIN = r"[가-힣]+(?:[,.]? [가-힣]+)*\.?"
"""Text that every format can hold as it is: syllables, single spaces, commas, full stops."""

_PLAIN = re.compile(PLAIN)
_encode = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True)
class Published:
    """A record is a line; its items are the sentences."""

    splittable: ClassVar[bool] = True

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`. A blank line is a record without text."""
        for line in read_lines(stream, encoding, first):
            parsed = line if isinstance(line, Malformed) else parse_example(line)
            if not isinstance(parsed, Example):
                yield parsed
            elif not parsed.sentences:
                yield Malformed(line.record, "broken_example", "no sentence", excerpt(line.text))
            else:
                yield from (checked(line.record, at, text, self.field(at)) for at, text in enumerate(parsed.sentences))

    def field(self, item: int) -> str:
        """Returns a name such as `scene[0]`, even if the scene is not a list."""
        return f"scene[{item}]"


def read_examples(path: str) -> Iterator[Example]:
    """Yields the examples of a file in either format, skipping blank lines; raises InputError for a malformed line."""
    with open_text(path) as (stream, encoding):
        for line in read_lines(stream, encoding, 1):
            parsed = line if isinstance(line, Malformed) else parse_example(line)
            problem = parsed if isinstance(parsed, Malformed) else _first_problem(line.record, parsed)
            if problem:
                raise InputError(f"line {problem.record}: {problem.reason}: {problem.detail}; fix this line")
            if isinstance(parsed, Example):
                yield parsed


def parse_example(line: Text) -> Example | Text | Malformed:
    """Returns a line of either format as an example, or an empty Text for a blank line."""
    if not line.text.strip():
        return Text(line.record, 0, "")
    return _parse_json(line) if line.text.lstrip().startswith("{") else _parse_text(line)


def format_json(example: Example, *, references: bool = False) -> str:
    """Returns a JSON line, whose scene is a list if `references`.

    Raises ValueError for an example that would be read back differently.
    """
    scene = list(example.sentences) if references else _only_sentence(example)
    line = _encode({"concept-set": "#".join(example.concepts), "scene": scene})
    return _faithful(line, example)


def format_text(example: Example, *, references: bool = False) -> str:
    """Returns a text line, with any number of sentences if `references`.

    Raises ValueError for an example that would be read back differently.
    """
    sentences = " = ".join(example.sentences) if references else _only_sentence(example)
    return _faithful(f"[SOS] {'#'.join(example.concepts)} = {sentences} [EOS]", example)


def _parse_json(line: Text) -> Example | Malformed:
    value = parse_line(line)
    if isinstance(value, Malformed):
        return value
    assert isinstance(value, dict)  # the line starts with a brace
    concepts, scene = value.get("concept-set", value.get("concept_set")), value.get("scene")
    if concepts is None or scene is None:
        name = "concept-set" if concepts is None else "scene"
        return Malformed(line.record, "missing_field", f"there is no {name}", excerpt(line.text))
    sentences = [scene] if isinstance(scene, str) else scene
    if not isinstance(concepts, str) or not _are_texts(sentences):
        detail = "concept-set is text with # between, scene is text or a list of texts"
        item = _first_other(sentences) if isinstance(concepts, str) else None
        return Malformed(line.record, "wrong_type", detail, excerpt(line.text), item)
    return _example(line, concepts, sentences)


def _parse_text(line: Text) -> Example | Malformed:
    found = _TEXT.fullmatch(line.text.lstrip())
    if not found:
        detail = "neither a JSON object nor [SOS] a#b = sentence [EOS]"
        return Malformed(line.record, "broken_example", detail, excerpt(line.text))
    return _example(line, found["concepts"], found["sentences"].split(" = "))


def _example(line: Text, concepts: str, sentences: list[str]) -> Example | Malformed:
    example = Example(tuple(concepts.split("#")), tuple(sentences))
    if not all(example.concepts):
        return Malformed(line.record, "broken_example", "an empty concept", excerpt(line.text))
    return example


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _first_other(sentences: object) -> int:
    """Returns which item is not text; a value that is not a list counts as one item."""
    items = sentences if isinstance(sentences, list) else [sentences]
    return next(at for at, text in enumerate(items) if not isinstance(text, str))


def _first_problem(record: int, parsed: Example | Text) -> Malformed | None:
    texts = (*parsed.concepts, *parsed.sentences) if isinstance(parsed, Example) else ()
    return next((entry for text in texts if isinstance(entry := checked(record, 0, text), Malformed)), None)


def _only_sentence(example: Example) -> str:
    if len(example.sentences) != 1:
        raise ValueError(f"an example for training has one sentence, not {len(example.sentences)}: {example!r}")
    return example.sentences[0]


def _faithful(line: str, example: Example) -> str:
    """Returns the line if it reads back as the same example; plain Korean, nearly every row, needs no reading back."""
    if example.sentences and _PLAIN.fullmatch(" ".join((*example.concepts, *example.sentences))):
        return line
    entry = checked(1, 0, line)
    is_line = isinstance(entry, Text) and "\n" not in line and len(line.encode()) <= LINE_BYTES
    if not is_line or parse_example(Text(1, 0, line)) != example._replace(source=None) or _first_problem(1, example):
        raise ValueError(f"this example cannot be written in this format: {example!r}")
    return line


READERS.add("published", ReaderEntry("the data set's own format, JSON lines or [SOS] … [EOS] text", Published))
