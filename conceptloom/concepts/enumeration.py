"""All concept sets of some sentences, grown concept by concept (CommonGen, section 3.1).

A set is written in ascending order, so each one is a path in a tree whose first level holds the leads. An *instance* is
a set together with a sentence that holds it. The instances of one level are grouped by (parent set, last concept): two
small numbers, which fit into a machine word where five concepts might not.

A sentence does not support a set that holds one of its clashes, nor a larger one; such an instance is dropped as soon
as the last concept of a clash is added.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from conceptloom.arrays.lists import Lists
from conceptloom.arrays.runs import equal_runs, gather
from conceptloom.arrays.types import Int32, Int64
from conceptloom.concepts.clashes import Clashes


class Instances(NamedTuple):
    """Sets in sentences, equal sets not yet grouped; all of shape (instances,)."""

    parents: Int64
    """The set of the level above from which it grew."""
    rows: Int64
    """Its sentence."""
    places: Int64
    """The place of its last concept among the values of the sentences' concepts."""


class Level(NamedTuple):
    """The distinct sets of one size, in ascending order, and their sentences, ascending within a set."""

    concepts: Int32
    """Shape (sets, size)."""
    starts: Int64
    """Where the instances of each set begin, shape (sets,)."""
    rows: Int64
    """The sentence of each instance, shape (instances,)."""
    places: Int64
    """See Instances."""

    @property
    def supports(self) -> Int64:
        """How many sentences support each set, shape (sets,)."""
        return np.diff(self.starts, append=len(self.rows))


def levels(
    concepts: Lists,
    rows: Int64,
    places: Int64,
    sizes: tuple[int, ...],
    min_support: int = 1,
    clashes: Clashes | None = None,
) -> Iterator[Level]:
    """Yields the sets led by the concepts at (rows, places), level by level up to the largest of `sizes`.

    Rows, and the concepts of each, ascend. A set smaller than all `sizes` is an intermediate step: it is grown only
    where its sentence has enough concepts left to reach a wanted size. Sets of fewer than `min_support` sentences are
    omitted, with all sets that grow from them. `clashes` are those of the sentences, grouped by `Clashes.by_last`.
    """
    grown = Instances(np.zeros(len(rows), dtype=np.int64), rows, places)
    level = Level(np.empty((1, 0), dtype=np.int32), np.zeros(1, dtype=np.int64), rows, places)
    for size in range(1, max(sizes) + 1):
        level = _frequent(_level(level, grown, concepts, _clashing(level, grown, clashes)), min_support)
        yield level
        grown = _grown(level, concepts, max(0, min(sizes) - size - 1))


def _clashing(above: Level, grown: Instances, clashes: Clashes | None) -> Int64:
    """The instances whose last concept completes a clash: its others are sought in the set they grew from."""
    if clashes is None:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(clashes.held(grown.places, grown.parents, above.concepts))


def _level(above: Level, grown: Instances, concepts: Lists, dropped: Int64) -> Level:
    last = concepts.values[grown.places]
    span = int(concepts.values.max(initial=0)) + 1
    keys, bound = grown.parents * span + last, len(above.concepts) * span
    # A run of their own at the end: cheaper than to take them out of all columns.
    keys[dropped] = bound
    order, starts = equal_runs(keys, bound + 1)
    order, starts = order[: len(order) - len(dropped)], starts[: len(starts) - bool(len(dropped))]
    firsts = order[starts]
    matrix = np.column_stack((above.concepts[grown.parents[firsts]], last[firsts]))
    return Level(matrix, starts, grown.rows[order], grown.places[order])


def _frequent(level: Level, least: int) -> Level:
    supports = level.supports
    keep = supports >= least
    if keep.all():
        return level
    instances = np.repeat(keep, supports)
    starts = np.cumsum(supports[keep]) - supports[keep]
    return Level(level.concepts[keep], starts, level.rows[instances], level.places[instances])


def _grown(level: Level, concepts: Lists, missing: int) -> Instances:
    """Each instance extended by each later concept of its sentence that has at least `missing` concepts behind it."""
    counts = np.maximum(concepts.offsets[level.rows + 1] - level.places - 1 - missing, 0)
    parents = np.repeat(np.repeat(np.arange(len(level.starts)), level.supports), counts)
    return Instances(parents, np.repeat(level.rows, counts), gather(level.places + 1, counts))
