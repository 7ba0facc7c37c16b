"""Joins predictions to references: each prediction goes to its set or sentence, or a note says why it does not."""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.errors import InputError
from conceptloom.metrics.inputs.alignment import misplaced, without_prediction
from conceptloom.metrics.inputs.input_notes import InputNote
from conceptloom.metrics.inputs.item_tables import with_predictions
from conceptloom.metrics.inputs.predictions import KEYS, Predictions, read_predictions
from conceptloom.metrics.inputs.references import References


@dataclass(frozen=True)
class Paired:
    """The items of one file of predictions (schema `item_tables.SCHEMA`), and the notes on the file."""

    items: pa.Table
    notes: tuple[InputNote, ...]


_SURPLUS, _SURPLUS_SHARE = 3, 0.01
"""So many sets, and at most this share of them, may have no line in a file of predictions."""


def pair(references: References, path: str, by_set: bool = False) -> Paired:
    """The predictions of a file with their references; see `pair_predictions`.

    A file may have a few lines less than there are sets (the published ablations have 2,040 for 2,041). The sets that
    fit no line are named and left out: nobody can say any more what their sentences were.
    """
    found = read_predictions(path)
    return pair_predictions(_without_surplus(references, found), found, by_set)


def pair_predictions(references: References, found: Predictions, by_set: bool = False) -> Paired:
    """Predictions with their references.

    Predictions without keys are in the order of the references: one for each set, or one for each sentence, which is
    then its only reference. Predictions with keys (see KEYS) may be in any order. With `by_set`, the first prediction
    of a set is compared with all references of the set. Raises InputError where the numbers do not match or no key is
    known; empty, missing and superfluous predictions are noted.
    """
    if found.keys is None:
        rows, texts = _by_place(references, found)
    else:
        rows, texts = _by_key(references, found, found.keys)
    if by_set and rows is not references.sets:
        rows, texts = references.sets, _first_of_sets(references, found, texts)
    return Paired(_with_sentences(with_predictions(rows, texts), found), found.notes.collected())


def _with_sentences(items: pa.Table, found: Predictions) -> pa.Table:
    """The items that can be scored: a set whose references are still to be written has its line, but no score."""
    sentences = pc.list_value_length(items["references"])
    if pc.min(sentences).as_py() != 0:
        return items
    scored = pc.greater(sentences, 0)
    found.notes.add("bare_sets", times=len(items) - pc.sum(scored).as_py())
    return items.filter(scored)


def _without_surplus(references: References, found: Predictions) -> References:
    """The references, without the sets that no line of a file that is a little too short belongs to."""
    sets, count = len(references.sets), len(found.texts)
    surplus = sets - count
    if found.keys is not None or not 0 < surplus <= min(_SURPLUS, _SURPLUS_SHARE * sets):
        return references
    left = without_prediction(references.sets["concepts"].to_pylist(), found.texts)
    named = ", ".join(f"set {row + 1:,} ({references.sets['key'][row].as_py()})" for row in left)
    detail = f"most likely {named}: {references.path} has {sets:,} sets, {found.path} {count:,} lines"
    found.notes.add("surplus_references", times=surplus, detail=detail)
    kept = sorted(set(range(sets)) - set(left))
    return References(references.path, references.sets.take(kept), references.notes)


def _by_place(references: References, found: Predictions) -> tuple[pa.Table, list[str]]:
    sets, lines = len(references.sets), references.sentences
    count = _without_blank_end(found, (lines, sets))
    if count not in (sets, lines):
        raise InputError(_wrong_number(references, found, count))
    for line, text in zip(found.lines[:count], found.texts):
        if not text:
            found.notes.add("empty_predictions", line)
    rows, texts = references.sets if count == sets else references.lines, found.texts[:count]
    _note_misplaced(rows["concepts"].to_pylist(), texts, found)
    return rows, texts


def _note_misplaced(sets: list[list[str]], texts: list[str], found: Predictions) -> None:
    one = misplaced(sets, texts)
    if one is None:
        return
    away = f"{abs(one.shift)} {'lines' if abs(one.shift) > 1 else 'line'} further {'down' if one.shift > 0 else 'up'}"
    lines = f"lines {found.lines[one.first]} to {found.lines[one.stop - 1]}"
    shares = f"{100 * one.there:.0f} % of the concepts there, {100 * one.here:.0f} % where they stand and are scored"
    detail = f"{away} ({lines}: {shares}): is a line missing, or one too many?"
    found.notes.add("misplaced_predictions", times=one.stop - one.first, detail=detail)


def _without_blank_end(found: Predictions, wanted: tuple[int, ...]) -> int:
    """The number of predictions, without superfluous blank lines at the end."""
    count = len(found.texts)
    fitting = [number for number in wanted if number <= count and not any(found.texts[number:])]
    if count in wanted or not fitting:
        return count
    for line in found.lines[fitting[0] :]:
        found.notes.add("blank_lines_at_end", line)
    return fitting[0]


def _wrong_number(references: References, found: Predictions, count: int) -> str:
    sets, lines = len(references.sets), references.sentences
    wanted = f"{sets:,} sets" + (f" with {lines:,} sentences" if lines != sets else "")
    empty = [line for line, text in zip(found.lines, found.texts) if not text][:3]
    hint = f" (empty: line {', '.join(map(str, empty))})" if empty else ""
    return (
        f"{found.path} has {count:,} predictions{hint}, and {references.path} has {wanted}: "
        f"give one for each, in their order, or JSON lines with {KEYS[0]} or {KEYS[2]}"
    )


def _by_key(references: References, found: Predictions, keys: list[str]) -> tuple[pa.Table, list[str]]:
    table = references.lines if len(keys) == references.sentences else references.sets
    places, by_set = _places(table)
    texts: list[str | None] = [None] * len(table)
    for line, key, text in zip(found.lines, keys, found.texts):
        fitting = places.get(key) or by_set.get(frozenset(key.split("#")), [])
        free = next((place for place in fitting if texts[place] is None), None)
        if free is None:
            found.notes.add("duplicate_ids" if fitting else "unknown_ids", line)
            continue
        texts[free] = text
        if not text:
            found.notes.add("empty_predictions", line)
    missing = texts.count(None)
    if missing == len(texts):
        raise InputError(f"{found.path}: no id or concept set occurs in {references.path}; name the right references")
    if missing:
        found.notes.add("missing_predictions", times=missing)
    return table, [text or "" for text in texts]


def _first_of_sets(references: References, found: Predictions, texts: list[str]) -> list[str]:
    """The first prediction among the lines of each set; sets whose lines differ are noted."""
    of_sets: list[dict[str, None]] = [{} for _ in range(len(references.sets))]
    for place, text in zip(references.set_of_line, texts, strict=True):
        of_sets[place][text] = None
    if several := sum(len(different) > 1 for different in of_sets):
        found.notes.add("more_predictions", times=several)
    return [next(iter(different), "") for different in of_sets]


def _places(table: pa.Table) -> tuple[dict[str, list[int]], dict[frozenset[str], list[int]]]:
    """The rows of each key and of each concept set as it is written, and those of each set in whatever order.

    A set may have several rows. A key as it is written comes first: two rows may have the same concepts in two orders.
    """
    places: dict[str, list[int]] = {}
    by_set: dict[frozenset[str], list[int]] = {}
    for place, (key, concepts) in enumerate(zip(table["key"].to_pylist(), table["concepts"].to_pylist())):
        for name in {key, "#".join(concepts)}:
            places.setdefault(name, []).append(place)
        for members in {frozenset(concepts), frozenset(key.split("#"))}:
            by_set.setdefault(members, []).append(place)
    return places, by_set
