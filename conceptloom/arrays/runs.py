"""Equal keys brought together."""

from typing import NamedTuple

import numpy as np

from conceptloom.arrays.concept_sets import Int64
from conceptloom.hashing import UInt64

_WORD_BITS = 64


class Runs(NamedTuple):
    """An order in which equal keys stand together, ties as they stood, and where each run begins.

    Shapes (keys,) and (distinct keys,).
    """

    order: Int64
    starts: Int64

    @property
    def sizes(self) -> Int64:
        """How many keys each run has."""
        return np.diff(self.starts, append=len(self.order))

    def numbers(self) -> Int64:
        """The run of each key, in the order of the keys."""
        result = np.empty(len(self.order), dtype=np.int64)
        result[self.order] = np.repeat(np.arange(len(self.starts)), self.sizes)
        return result


def equal_runs(keys: Int64 | UInt64, bound: int) -> Runs:
    """The runs of equal keys, in ascending order. Keys lie in [0, bound)."""
    place_bits = max(1, len(keys)).bit_length()
    if max(0, bound - 1).bit_length() + place_bits > _WORD_BITS:
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
    else:
        # Key and place in one word, because sorting words is several times faster than sorting places by key.
        shift = np.uint64(place_bits)
        packed = np.sort(keys.astype(np.uint64) << shift | np.arange(len(keys), dtype=np.uint64))
        order = (packed & ((np.uint64(1) << shift) - np.uint64(1))).astype(np.int64)
        ordered = packed >> shift
    fresh = np.ones(len(keys), dtype=np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    return Runs(order, np.flatnonzero(fresh))


def gather(starts: Int64, sizes: Int64) -> Int64:
    """The places `starts[i], starts[i] + 1, …`, `sizes[i]` of each, one after the other.

    >>> gather(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(sizes)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + sizes, sizes)
