"""Predicted sentences from a file: plain lines, JSON lines, or the data set's own text format."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from conceptloom.errors import InputError
from conceptloom.examples import Example
from conceptloom.json_values import JsonObject
from conceptloom.metrics.inputs.input_notes import InputNotes
from conceptloom.metrics.inputs.lines import lines_of, require_text
from conceptloom.readers.base import Malformed, Text
from conceptloom.readers.jsonl import parse_line
from conceptloom.readers.published import parse_example

GIVEN = "predictions"
"""Stands for a path in messages on predictions that are not from a file."""

KEYS = ("id", "key", "concept-set", "concept_set")
TEXTS = ("prediction", "pred_scene", "output", "scene", "generated_text", "text")
"""The fields of a JSON object for its key and for the prediction; the first one that is present counts."""

_OBJECTS = re.compile(r"\[\s*\{")
"""How an array of objects starts, which is no sentence."""

KeyedText = tuple[str | None, str]
"""The key of a line, if it has one, and its prediction."""


@dataclass(frozen=True)
class Predictions:
    """Predictions in the order of the file: line numbers, texts without surrounding space, keys if there are any."""

    path: str
    lines: list[int]
    texts: list[str]
    keys: list[str] | None
    notes: InputNotes


def given_predictions(texts: Sequence[str]) -> Predictions:
    """Sentences of the running program as predictions without keys, which are in the order of the references."""
    numbers = list(range(1, len(texts) + 1))
    return Predictions(GIVEN, numbers, [text.strip() for text in texts], None, InputNotes(GIVEN))


def read_predictions(path: str) -> Predictions:
    """The predictions of a file; blank lines of plain text are empty predictions.

    A file whose first line starts with { is JSON lines: {"id" or "concept-set": …, "prediction": …}, see KEYS and
    TEXTS, and so are the elements of a JSON array, which may also be the sentences themselves; one that starts with
    [SOS] is in the data set's text format. Anything else is plain text, like the published `baseline_results`. Raises
    InputError, with file and line (or element), for what cannot be read.
    """
    notes = InputNotes(path)
    lines = list(lines_of(path, notes))
    head = next((line.text.lstrip() for line in lines if line.text.strip()), "")
    if not head:
        raise InputError(f"{path}: there are no predictions; name the file that holds them")
    if head.startswith("{"):
        return _keyed(path, lines, notes, _json_pair)
    elements = _elements(path, lines) if head.startswith("[") else None
    if elements is not None:
        return _keyed(path, elements, notes, _json_pair, "element")
    if head.startswith("[SOS] ") and " = " in head:
        return _keyed(path, lines, notes, _text_pair)
    return Predictions(path, [line.record for line in lines], [line.text.strip() for line in lines], None, notes)


def _elements(path: str, lines: list[Text]) -> list[Text] | None:
    """The elements of a JSON array, each as a line of its own; None for text that only starts with a bracket."""
    text = "\n".join(line.text for line in lines).strip()
    value = parse_line(Text(1, 0, text))
    if isinstance(value, Malformed):
        if _OBJECTS.match(text):
            raise InputError(
                f"{path}: this JSON array cannot be read: {value.detail}; fix it, or write a line for each"
            )
        return None
    if not isinstance(value, list) or not all(isinstance(one, dict | str) for one in value):
        return None
    objects = (one if isinstance(one, dict) else {TEXTS[0]: one} for one in value)
    return [Text(number, 0, json.dumps(one)) for number, one in enumerate(objects, 1)]


def _keyed(
    path: str,
    lines: list[Text],
    notes: InputNotes,
    parse: Callable[[Text, InputNotes], KeyedText],
    unit: str = "line",
) -> Predictions:
    numbers, texts, keys = [], [], []
    for line in lines:
        if not line.text.strip():
            notes.add("blank_lines", line.record)
            continue
        try:
            key, text = parse(line, notes)
        except InputError as error:
            raise InputError(f"{path}: {str(error).replace('line', unit)}") from None
        numbers.append(line.record)
        texts.append(text.strip())
        keys.append(key)
    named = [key for key in keys if key is not None]
    if named and len(named) < len(keys):
        number = numbers[keys.index(None)]
        raise InputError(
            f"{path}: {unit} {number} has no {' or '.join(KEYS)}, unlike other {unit}s; add it, or remove it everywhere"
        )
    return Predictions(path, numbers, texts, named or None, notes)


def _json_pair(line: Text, notes: InputNotes) -> KeyedText:
    value = parse_line(line)
    if isinstance(value, Malformed):
        raise InputError(f"line {line.record}: {value.reason}: {value.detail}; fix this line")
    if not isinstance(value, dict):
        raise InputError(f"line {line.record} is not a JSON object, unlike the first line; fix this line")
    text = _first_of(value, TEXTS)
    if isinstance(text, list):
        if len(text) > 1:
            notes.add("more_predictions", line.record)
        text = text[0] if text else ""
    if not isinstance(text, str):
        raise InputError(f"line {line.record} has no text in {' or '.join(TEXTS)}; add one of them")
    key = _first_of(value, KEYS)
    return None if key is None else require_text(line, _as_text(key)).text, require_text(line, text).text


def _text_pair(line: Text, notes: InputNotes) -> KeyedText:
    parsed = parse_example(line)
    if not isinstance(parsed, Example):
        raise InputError(f"line {line.record} is not [SOS] a#b = sentence [EOS], unlike the first line; fix this line")
    if len(parsed.sentences) > 1:
        notes.add("more_predictions", line.record)
    return "#".join(parsed.concepts), parsed.sentences[0]


def _first_of(value: JsonObject, names: tuple[str, ...]) -> object:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _as_text(key: object) -> str:
    """A key as text; integers are read as floats."""
    if isinstance(key, list):
        return "#".join(map(str, key))
    return str(int(key)) if isinstance(key, float) and key.is_integer() else str(key)
