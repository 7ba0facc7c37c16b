"""Which held-out set a train set shares too many concepts with."""

from math import comb
from typing import NamedTuple

import numpy as np

from conceptloom.arrays.concept_sets import ConceptSets, found_in, subsets
from conceptloom.arrays.runs import distinct, gather
from conceptloom.arrays.types import Int64, UInt64

_WIDEST = 3


class _Index(NamedTuple):
    """The subsets of the held-out sets, sorted by key, each with its set; both of shape (subsets,)."""

    keys: UInt64
    held_out: Int64


def shared_with(sets: ConceptSets, held_out: ConceptSets, max_shared: int) -> Int64:
    """Returns for each set the first held-out set that shares more than `max_shared` concepts with it, or -1.

    Shape (rows,). Two sets that share c concepts share comb(c, w) subsets of w concepts. So for up to two concepts one
    shared subset of w = max_shared + 1 decides, and beyond that the number of shared triples: the work stays cubic in a
    set's size for any `max_shared`. Both arguments must be in the form of `distinct_sets`.
    """
    width = min(max_shared + 1, _WIDEST)
    needed = comb(max_shared + 1, width)
    known = sets.keep(found_in(distinct(held_out.values), sets.values))
    rows, keys = subsets(known, width)
    index = _index(held_out, width, firsts_only=needed == 1)
    hits = found_in(index.keys, keys)
    return _first_over(*_join(rows[hits], keys[hits], index), needed, len(sets.sizes), len(held_out.sizes))


def _index(held_out: ConceptSets, width: int, firsts_only: bool) -> _Index:
    rows, keys = subsets(held_out, width)
    order = np.lexsort((rows, keys))
    index = _Index(keys[order], rows[order])
    if not firsts_only:
        return index
    # A concept that half of the held-out sets hold would join with all of them, although one is enough.
    distinct, firsts = np.unique(index.keys, return_index=True)
    return _Index(distinct, index.held_out[firsts])


def _join(rows: Int64, keys: UInt64, index: _Index) -> tuple[Int64, Int64]:
    """(row, held-out set) for each subset that both hold."""
    lefts = np.searchsorted(index.keys, keys)
    counts = np.searchsorted(index.keys, keys, side="right") - lefts
    return np.repeat(rows, counts), index.held_out[gather(lefts, counts)]


def _first_over(rows: Int64, held_out: Int64, needed: int, count: int, held_out_count: int) -> Int64:
    """The first held-out set that shares at least `needed` subsets with each row, or -1; shape (count,)."""
    meetings, subsets_shared = np.unique(rows * held_out_count + held_out, return_counts=True)
    meetings = meetings[subsets_shared >= needed]
    result = np.full(count, -1, dtype=np.int64)
    over, firsts = np.unique(meetings // max(1, held_out_count), return_index=True)
    result[over] = meetings[firsts] % max(1, held_out_count)
    return result
