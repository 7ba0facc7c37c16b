"""All concept sets of some sentences, grown concept by concept.

A set is written in ascending order, so each one is a path in a tree whose first level are the leads. An *instance* is
a set together with a sentence that holds it. The instances of one level are brought together by (parent set, last
concept): two small numbers, which fit a machine word where five concepts might not.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from conceptloom.arrays.concept_sets import Int64
from conceptloom.arrays.runs import equal_runs, gather
from conceptloom.concepts.lexicon import Int32, Lists


class Instances(NamedTuple):
    """Sets in sentences, each still apart from its equals; all of shape (instances,)."""

    parents: Int64
    """Which set of the level above it grew from."""
    rows: Int64
    """Its sentence."""
    places: Int64
    """Where its last concept stands among the values of the sentences' concepts."""


class Level(NamedTuple):
    """The distinct sets of one size, in ascending order, and their sentences, ascending within a set."""

    concepts: Int32
    """Shape (sets, size)."""
    starts: Int64
    """Where the instances of each set begin, shape (sets,)."""
    rows: Int64
    """The sentence of each instance, shape (instances,)."""
    places: Int64
    """As of Instances."""

    @property
    def supports(self) -> Int64:
        """How many sentences hold each set, shape (sets,)."""
        return np.diff(self.starts, append=len(self.rows))


def levels(
    concepts: Lists, rows: Int64, places: Int64, sizes: tuple[int, ...], min_support: int = 1
) -> Iterator[Level]:
    """The sets led by the concepts at (rows, places), level by level up to the largest of `sizes`.

    Rows, and the concepts of each, ascend. A set smaller than all `sizes` is a step on the way: it is there only where
    its sentence can fill it up. Sets of fewer than `min_support` sentences are left out, with all that holds them.
    """
    grown = Instances(np.zeros(len(rows), dtype=np.int64), rows, places)
    level = Level(np.empty((1, 0), dtype=np.int32), np.zeros(1, dtype=np.int64), rows, places)
    for size in range(1, max(sizes) + 1):
        level = _frequent(_level(level, grown, concepts), min_support)
        yield level
        grown = _grown(level, concepts, max(0, min(sizes) - size - 1))


def _level(above: Level, grown: Instances, concepts: Lists) -> Level:
    last = concepts.values[grown.places]
    span = int(concepts.values.max(initial=0)) + 1
    runs = equal_runs(grown.parents * span + last, len(above.concepts) * span)
    firsts = runs.order[runs.starts]
    matrix = np.column_stack((above.concepts[grown.parents[firsts]], last[firsts]))
    return Level(matrix, runs.starts, grown.rows[runs.order], grown.places[runs.order])


def _frequent(level: Level, least: int) -> Level:
    supports = level.supports
    keep = supports >= least
    if keep.all():
        return level
    instances = np.repeat(keep, supports)
    starts = np.cumsum(supports[keep]) - supports[keep]
    return Level(level.concepts[keep], starts, level.rows[instances], level.places[instances])


def _grown(level: Level, concepts: Lists, missing: int) -> Instances:
    """Each instance with each later concept of its sentence that has at least `missing` concepts behind it."""
    counts = np.maximum(concepts.offsets[level.rows + 1] - level.places - 1 - missing, 0)
    parents = np.repeat(np.repeat(np.arange(len(level.starts)), level.supports), counts)
    return Instances(parents, np.repeat(level.rows, counts), gather(level.places + 1, counts))
