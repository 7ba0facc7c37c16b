"""Predicted sentences from a file: a line each, JSON lines, or the data set's own text format."""

from dataclasses import dataclass
from typing import Any

from conceptloom.errors import InputError
from conceptloom.examples import Example
from conceptloom.metrics.inputs.input_notes import NoteBook
from conceptloom.metrics.inputs.lines import lines_of, require_text
from conceptloom.readers.base import Malformed, Text
from conceptloom.readers.jsonl import parse_line
from conceptloom.readers.published import parse_example

KEYS = ("id", "key", "concept-set", "concept_set")
TEXTS = ("prediction", "pred_scene", "output", "scene")
"""Where a JSON line may have what it is a prediction of, and the prediction: the first of these that it has."""


@dataclass(frozen=True)
class Predictions:
    """Predictions in the order of the file: the line of each, its text without space around, its key if it has one."""

    path: str
    lines: list[int]
    texts: list[str]
    keys: list[str] | None
    book: NoteBook


def read_predictions(path: str) -> Predictions:
    """The predictions of a file; blank lines of plain text are empty predictions.

    A file whose first line starts with { is JSON lines: {"id" or "concept-set": …, "prediction": …}, see KEYS and
    TEXTS; one that starts with [SOS] has the data set's text format. Anything else is plain text, as the published
    `baseline_results` are. Raises InputError, with file and line, for a line that cannot be read.
    """
    book = NoteBook(path)
    lines = list(lines_of(path, book))
    head = next((line.text.lstrip() for line in lines if line.text.strip()), "")
    if not head:
        raise InputError(f"{path}: there are no predictions; name the file that holds them")
    if head.startswith("{"):
        return _keyed(path, lines, book, _json_pair)
    if head.startswith("[SOS] ") and " = " in head:
        return _keyed(path, lines, book, _text_pair)
    return Predictions(path, [line.record for line in lines], [line.text.strip() for line in lines], None, book)


def _keyed(path: str, lines: list[Text], book: NoteBook, parse: Any) -> Predictions:
    numbers, texts, keys = [], [], []
    for line in lines:
        if not line.text.strip():
            book.add("blank_lines", line.record)
            continue
        try:
            key, text = parse(line, book)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
        numbers.append(line.record)
        texts.append(text.strip())
        keys.append(key)
    named = [key for key in keys if key is not None]
    if named and len(named) < len(keys):
        number = numbers[keys.index(None)]
        raise InputError(
            f"{path}: line {number} has no {' or '.join(KEYS)}, as others have; add it, or drop it everywhere"
        )
    return Predictions(path, numbers, texts, named or None, book)


def _json_pair(line: Text, book: NoteBook) -> tuple[str | None, str]:
    value = parse_line(line)
    if isinstance(value, Malformed):
        raise InputError(f"line {line.record}: {value.reason}: {value.detail}; mend this line")
    if not isinstance(value, dict):
        raise InputError(f"line {line.record} is no JSON object, as the first is; mend this line")
    text = _first_of(value, TEXTS)
    if isinstance(text, list):
        if len(text) > 1:
            book.add("more_predictions", line.record)
        text = text[0] if text else ""
    if not isinstance(text, str):
        raise InputError(f"line {line.record} has no text as its {' or '.join(TEXTS)}; add one of them")
    key = _first_of(value, KEYS)
    return None if key is None else require_text(line, _as_text(key)).text, require_text(line, text).text


def _text_pair(line: Text, book: NoteBook) -> tuple[str | None, str]:
    parsed = parse_example(line)
    if not isinstance(parsed, Example):
        raise InputError(f"line {line.record} is not [SOS] a#b = sentence [EOS], as the first is; mend this line")
    if len(parsed.sentences) > 1:
        book.add("more_predictions", line.record)
    return "#".join(parsed.concepts), parsed.sentences[0]


def _first_of(value: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _as_text(key: Any) -> str:
    """A key as text: numbers are read as floats."""
    if isinstance(key, list):
        return "#".join(map(str, key))
    return str(int(key)) if isinstance(key, float) and key.is_integer() else str(key)
