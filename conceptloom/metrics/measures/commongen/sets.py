"""The lines of an English output by concept set: CommonGen writes a line for each reference, so sets are repeated."""

from collections.abc import Sequence
from typing import NamedTuple

from conceptloom.metrics.base import Item


class ScoredSet(NamedTuple):
    """One concept set: the first prediction for it, and all its references."""

    prediction: str
    references: list[str]


def set_numbers(items: Sequence[Item]) -> list[int]:
    """The number of each item's concept set, counted from 0 in the order in which sets first occur.

    The key says to which set an item belongs, or its concepts where each line has a key and a reference of its own, as
    in a parallel text whose lines are numbered.
    """
    numbers: dict[object, int] = {}
    return [numbers.setdefault(name, len(numbers)) for name in _names(items)]


def _names(items: Sequence[Item]) -> list[object]:
    keys = [item.key for item in items]
    are_lines = len(set(keys)) == len(keys) and all(len(item.references) == 1 for item in items)
    return [item.concepts or item.key if are_lines else item.key for item in items]


def by_set(items: Sequence[Item], numbers: Sequence[int]) -> list[ScoredSet]:
    """The items of each set together. As in the published evaluation, later predictions for a set are ignored."""
    sets: dict[int, ScoredSet] = {}
    for item, number in zip(items, numbers, strict=True):
        sets.setdefault(number, ScoredSet(item.prediction, [])).references.extend(item.references)
    return list(sets.values())
