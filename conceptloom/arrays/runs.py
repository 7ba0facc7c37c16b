"""Equal keys brought together, and the places of rows that stand together."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from conceptloom.arrays.types import Bool, Int64, Integers, UInt64

_WORD_BITS = 64


class Runs(NamedTuple):
    """An order in which equal keys stand together, equal keys as they stood, and where each run begins.

    Shapes (keys,) and (distinct keys,).
    """

    order: Int64
    starts: Int64

    @property
    def sizes(self) -> Int64:
        """How many keys each run has, shape (distinct keys,)."""
        return np.diff(self.starts, append=len(self.order))

    def numbers(self) -> Int64:
        """Returns the run of each key, in the order of the keys; shape (keys,)."""
        result = np.empty(len(self.order), dtype=np.int64)
        result[self.order] = np.repeat(np.arange(len(self.starts)), self.sizes)
        return result


def equal_runs(keys: Integers, bound: int) -> Runs:
    """Returns the runs of equal keys, in ascending order. Keys lie in [0, bound)."""
    place_bits = max(1, len(keys)).bit_length()
    if max(0, bound - 1).bit_length() + place_bits > _WORD_BITS:
        order = np.argsort(keys, kind="stable")
        return Runs(order, run_starts(keys[order]))
    # Key and place in one word, because sorting words is several times faster than sorting places by key.
    shift = np.uint64(place_bits)
    packed = np.sort(keys.astype(np.uint64) << shift | np.arange(len(keys), dtype=np.uint64))
    order = (packed & ((np.uint64(1) << shift) - np.uint64(1))).astype(np.int64)
    return Runs(order, run_starts(packed >> shift))


def distinct(values: npt.NDArray[np.generic]) -> npt.NDArray[Any]:
    """Returns the distinct values in ascending order, shape (distinct values,).

    Numpy's own `unique` hashes numbers since 2.3, which takes fifty times as long for a million of them.

    >>> distinct(np.array([5, 3, 5])).tolist()
    [3, 5]
    """
    ordered = np.sort(values, axis=None)
    return ordered[is_first(ordered)]


def hash_order(hashes: UInt64) -> Int64:
    """Returns the order in which hashes ascend, equal ones as they stood; shape (hashes,).

    >>> hash_order(np.array([7 << 60, 1 << 60, 7 << 60], dtype=np.uint64)).tolist()
    [1, 0, 2]
    """
    # The place in the low bits, because sorting words is several times faster than sorting places by key.
    low = (np.uint64(1) << np.uint64(len(hashes).bit_length())) - np.uint64(1)
    order = (np.sort(hashes & ~low | np.arange(len(hashes), dtype=np.uint64)) & low).astype(np.int64)
    ordered = hashes[order]
    if (ordered[1:] < ordered[:-1]).any():
        # Two differ in these bits alone.
        return np.argsort(hashes, kind="stable")
    return order


def is_first(ordered: npt.NDArray[np.generic]) -> Bool:
    """Returns whether each value differs from the one before it, shape (len(ordered),).

    >>> is_first(np.array([3, 3, 5])).tolist()
    [True, False, True]
    """
    first = np.ones(len(ordered), dtype=np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return first


def run_starts(ordered: npt.NDArray[np.generic]) -> Int64:
    """Returns where each run of equal values begins, shape (runs,)."""
    return np.flatnonzero(is_first(ordered))


def positions(sizes: Int64) -> Int64:
    """Returns the position of each row within its run, for runs of these sizes that follow each other.

    >>> positions(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    return gather(np.zeros_like(sizes), sizes)


def gather(starts: Int64, sizes: Int64) -> Int64:
    """Returns the places `starts[i], starts[i] + 1, …`, `sizes[i]` of them for each i, one after the other.

    >>> gather(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(sizes)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + sizes, sizes)
