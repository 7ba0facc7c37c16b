"""Systems as a page shows them: their items, scores and intervals, and the scores of parts of the items."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.metrics.base import Item, Score
from conceptloom.metrics.measures.sums import SummedScore
from conceptloom.metrics.resampling.significance import Interval


@dataclass(frozen=True)
class PageSystem:
    """One system: its items, its scores (with values in the order of the items), their intervals."""

    name: str
    items: Sequence[Item]
    scores: Sequence[Score]
    intervals: Mapping[str, Interval | None] = field(default_factory=dict)

    def score(self, name: str) -> Score | None:
        """The score of that name, if there is one."""
        return next((score for score in self.scores if score.name == name), None)

    def value(self, name: str) -> float:
        """The value of that score; nan where there is none."""
        score = self.score(name)
        return math.nan if score is None else score.value

    def values(self, name: str) -> Float64 | None:
        """The items' values by a metric; None where it has none or scores something other than items."""
        score = self.score(name)
        return score.values if score is not None and _is_of_items(score, self.items) else None


def names_of(systems: Sequence[PageSystem]) -> list[str]:
    """The metrics of all systems, in the order in which they first occur."""
    return list(dict.fromkeys(score.name for system in systems for score in system.scores))


def leading(systems: Sequence[PageSystem]) -> str | None:
    """The metric by which sentences are sorted: ROUGE-L, otherwise the first one whose values differ, if any."""
    able = [name for name in names_of(systems) if all(_differ(system.values(name)) for system in systems)]
    return "ROUGE-L" if "ROUGE-L" in able else next(iter(able), None)


def value_of_part(score: Score, part: Sequence[int]) -> float:
    """The score of some items, given by number: from their sums if each item has its own, otherwise their mean."""
    if isinstance(score, SummedScore) and score.values is not None and len(score.sums) == len(score.values):
        return float(score.of_sums(score.sums[list(part)].sum(axis=0, keepdims=True))[0])
    if score.values is None:
        return math.nan
    values = score.values[list(part)]
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def have_same_items(systems: Sequence[PageSystem]) -> bool:
    """Whether all systems have the same items in the same order."""
    first, *others = ([(item.key, item.concepts) for item in system.items] for system in systems)
    return all(one == first for one in others)


def _is_of_items(score: Score, items: Sequence[Item]) -> bool:
    return score.values is not None and len(score.values) == len(items)


def _differ(values: Float64 | None) -> bool:
    known = values[~np.isnan(values)] if values is not None else np.array([])
    return len(known) > 0 and bool(np.any(known != known[0]))
