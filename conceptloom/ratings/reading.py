"""Reads people's ratings of sentences from the published files, which have a rating in each line, and from CSV."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from conceptloom import storage
from conceptloom.arrays.types import Float64
from conceptloom.errors import InputError

ITEM, MODEL, CRITERION = "item", "model", "criterion"
"""The columns of a CSV file that do not belong to a rater; the first one is required."""

_PUBLISHED_ENDS = {"_korean_commongen_reform": "-reform", "_korean_commongen": "", "_reform": "-reform"}
"""How the names of published files end, and what this adds to the model's name: other sentences were rated."""


@dataclass(frozen=True)
class Ratings:
    """The ratings of one model's sentences by one criterion.

    `table` has shape (items, raters), with nan for a missing rating; `items` are ids, or line numbers from 1.
    """

    model: str
    criterion: str
    items: tuple[str, ...]
    table: Float64

    @property
    def name(self) -> str:
        """Model and criterion, for tables."""
        return f"{self.model} {self.criterion}".strip()

    @property
    def mean(self) -> float:
        """The mean of all ratings; nan without ratings."""
        known = self.table[~np.isnan(self.table)]
        return float(known.mean()) if len(known) else math.nan

    @property
    def of_items(self) -> Float64:
        """The mean rating of each item, shape (items,); nan for items that nobody rated."""
        known = ~np.isnan(self.table)
        total = np.where(known, self.table, 0.0).sum(axis=1)
        return np.divide(total, known.sum(axis=1), out=np.full(len(total), np.nan), where=known.any(axis=1))


def read_ratings(path: str, raters: int = 3, model: str | None = None, criterion: str | None = None) -> list[Ratings]:
    """The ratings of a file: an element for each model and criterion, in the order in which they first occur.

    A file whose name ends in .csv has a header and a row for each item: the column `item`, optionally `model` and
    `criterion`, and a column for each rater, empty for a missing rating. Any other file has one rating in each line,
    the `raters` ratings of an item on consecutive lines; model and criterion are taken from its name unless given:
    `mt5s_grammar_korean_commongen.txt`, or `mt5s_grammar_reform.txt`, whose model is `mt5s-reform`. Raises InputError
    with file and line.
    """
    if path.lower().endswith(".csv"):
        return _read_csv(path, model or "", criterion or _stem(path))
    named = _names(path)
    lines = storage.read_bytes(path).decode("utf-8-sig", "replace").split("\n")
    values = [_number(line, f"{path}: line {number}") for number, line in enumerate(_without_end(lines), 1)]
    if not values or len(values) % raters:
        raise InputError(
            f"{path} has {len(values)} ratings, not a multiple of {raters}; give the number of raters by --raters"
        )
    table = np.array(values).reshape(-1, raters)
    items = tuple(str(number) for number in range(1, len(table) + 1))
    return [Ratings(named[0] if model is None else model, criterion or named[1], items, table)]


def _read_csv(path: str, model: str, criterion: str) -> list[Ratings]:
    text = storage.read_bytes(path).decode("utf-8-sig", "replace")
    reader = csv.DictReader(io.StringIO(text, newline=""), restkey="", restval="")
    header = [name.strip() for name in reader.fieldnames or ()]
    raters = [name for name in header if name not in (ITEM, MODEL, CRITERION)]
    if ITEM not in header or not raters or len(set(header)) < len(header):
        raise InputError(f"{path}: the first line must name the columns: {ITEM}, and one for each rater, all different")
    reader.fieldnames = header
    rows: dict[tuple[str, str], dict[str, list[float]]] = {}
    for row in reader:
        place = f"{path}: line {reader.line_num}"
        if "" in row:
            raise InputError(f"{place} has more columns than the first line; fix this line")
        group = rows.setdefault((row.get(MODEL, model), row.get(CRITERION, criterion)), {})
        if group.setdefault(row[ITEM], found := [_number(row[name], place, math.nan) for name in raters]) is not found:
            raise InputError(f"{place}: item {row[ITEM]!r} occurs twice; fix this line")
    if not rows:
        raise InputError(f"{path}: there are no ratings")
    return [Ratings(*names, tuple(group), np.array(list(group.values()))) for names, group in rows.items()]


def total(ratings: Sequence[Ratings], name: str = "total") -> Ratings | None:
    """The sum over criteria of each rater's ratings of one model; None where models, items or raters differ.

    It is the column TT of Korean CommonGen's tables 5 and 8.
    """
    shapes = {(one.items, one.table.shape) for one in ratings}
    if len(ratings) < 2 or len(shapes) > 1 or len({one.model for one in ratings}) > 1:
        return None
    return Ratings(ratings[0].model, name, ratings[0].items, np.sum([one.table for one in ratings], axis=0))


def by_model(ratings: Iterable[Ratings]) -> dict[str, list[Ratings]]:
    """The ratings of each model, in the given order."""
    found: dict[str, list[Ratings]] = {}
    for one in ratings:
        found.setdefault(one.model, []).append(one)
    return found


def _number(text: str, place: str, empty: float | None = None) -> float:
    if empty is not None and not text.strip():
        return empty
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{place}: {text.strip()!r} is not a rating; fix this line")
    return value


def _without_end(lines: list[str]) -> list[str]:
    return lines[:-1] if lines and not lines[-1].strip() else lines


def _names(path: str) -> tuple[str, str]:
    stem = _stem(path)
    end = next((end for end in _PUBLISHED_ENDS if stem.endswith(end)), "")
    model, _, criterion = stem.removesuffix(end).partition("_")
    return (model + _PUBLISHED_ENDS[end], criterion) if end and criterion else ("", stem)


def _stem(path: str) -> str:
    return PurePosixPath(path.replace("\\", "/")).stem
