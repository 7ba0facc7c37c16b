"""Items from references and predictions: each prediction goes to what it is a prediction of, or it is told why not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from conceptloom.errors import InputError
from conceptloom.metrics.base import Item
from conceptloom.metrics.inputs.input_notes import Note
from conceptloom.metrics.inputs.predictions import KEYS, Predictions, read_predictions
from conceptloom.metrics.inputs.references import SCHEMA as REFERENCES
from conceptloom.metrics.inputs.references import References

SCHEMA = REFERENCES.append(pa.field("prediction", pa.string()))
"""An `Item`."""


@dataclass(frozen=True)
class Paired:
    """The items of one file of predictions (schema SCHEMA), and what was odd about it."""

    items: pa.Table
    notes: tuple[Note, ...]


def pair(references: References, path: str, by_set: bool = False) -> Paired:
    """The predictions of a file with their references.

    Predictions without keys stand in the order of the references: one for each set, or for each sentence, which then
    is its only reference; with `by_set` the first prediction of a set is held against all its references. Those with
    keys (see KEYS) may stand in any order. Raises InputError where the numbers do not fit, or no key is known; an empty
    prediction, a missing one, one too many are noted.
    """
    found = read_predictions(path)
    if found.keys is None:
        rows, texts = _by_place(references, found)
    else:
        rows, texts = _by_key(references, found, found.keys)
    if by_set and rows is not references.sets:
        rows, texts = references.sets, _first_of_sets(references, found, texts)
    return Paired(rows.append_column(SCHEMA.field("prediction"), pa.array(texts, pa.string())), found.book.notes())


def items_of(table: pa.Table) -> list[Item]:
    """The rows of a table (schema SCHEMA) as items."""
    columns = (table[name].to_pylist() for name in SCHEMA.names)
    return [
        Item(key, tuple(concepts), tuple(references), prediction, source or "")
        for key, concepts, references, source, prediction in zip(*columns)
    ]


def table_of(items: Sequence[Item]) -> pa.Table:
    """The inverse of `items_of`."""
    columns = ([getattr(item, name) for item in items] for name in SCHEMA.names)
    return pa.table([pa.array(column, field.type) for column, field in zip(columns, SCHEMA)], SCHEMA)


def blocks_of(table: pa.Table, size: int) -> Iterator[pa.Table]:
    """The rows in blocks of `size`, the last of which may have fewer."""
    return (table.slice(start, size) for start in range(0, len(table), size))


def _by_place(references: References, found: Predictions) -> tuple[pa.Table, list[str]]:
    sets, lines = len(references.sets), references.sentences
    count = _without_blank_end(found, (lines, sets))
    if count not in (sets, lines):
        raise InputError(_wrong_number(references, found, count))
    for line, text in zip(found.lines[:count], found.texts):
        if not text:
            found.book.add("empty_predictions", line)
    return references.sets if count == sets else references.lines, found.texts[:count]


def _without_blank_end(found: Predictions, wanted: tuple[int, ...]) -> int:
    """How many predictions there are, without blank lines at the end that are more than are wanted."""
    count = len(found.texts)
    fitting = [number for number in wanted if number <= count and not any(found.texts[number:])]
    if count in wanted or not fitting:
        return count
    for line in found.lines[fitting[0] :]:
        found.book.add("blank_lines_at_end", line)
    return fitting[0]


def _wrong_number(references: References, found: Predictions, count: int) -> str:
    sets, lines = len(references.sets), references.sentences
    wanted = f"{sets:,} sets" + (f" with {lines:,} sentences" if lines != sets else "")
    empty = [line for line, text in zip(found.lines, found.texts) if not text][:3]
    hint = f" (empty: line {', '.join(map(str, empty))})" if empty else ""
    return (
        f"{found.path} has {count:,} predictions{hint}, and {references.path} has {wanted}: "
        f"give one for each, in their order, or JSON lines that say by {KEYS[0]} or {KEYS[2]} what each is for"
    )


def _by_key(references: References, found: Predictions, keys: list[str]) -> tuple[pa.Table, list[str]]:
    table = references.lines if len(keys) == references.sentences else references.sets
    places = _places(table)
    texts: list[str | None] = [None] * len(table)
    for line, key, text in zip(found.lines, keys, found.texts):
        free = next((place for place in places.get(key, ()) if texts[place] is None), None)
        if free is None:
            found.book.add("duplicate_ids" if key in places else "unknown_ids", line)
            continue
        texts[free] = text
        if not text:
            found.book.add("empty_predictions", line)
    missing = texts.count(None)
    if missing == len(texts):
        raise InputError(f"{found.path}: no id or concept set is one of {references.path}; name the right references")
    if missing:
        found.book.add("missing_predictions", times=missing)
    return table, [text or "" for text in texts]


def _first_of_sets(references: References, found: Predictions, texts: list[str]) -> list[str]:
    """The first prediction of each set, of those that its lines have; sets whose lines differ are noted."""
    of_sets: list[dict[str, None]] = [{} for _ in range(len(references.sets))]
    for place, text in zip(references.set_of_line, texts, strict=True):
        of_sets[place][text] = None
    if several := sum(len(different) > 1 for different in of_sets):
        found.book.add("more_predictions", times=several)
    return [next(iter(different), "") for different in of_sets]


def _places(table: pa.Table) -> dict[str, list[int]]:
    """Where each key stands, and each concept set; a set may stand in several places."""
    places: dict[str, list[int]] = {}
    for place, (key, concepts) in enumerate(zip(table["key"].to_pylist(), table["concepts"].to_pylist())):
        for name in {key, "#".join(concepts)}:
            places.setdefault(name, []).append(place)
    return places
