"""Concept sets as columns of 64-bit hashes: the form in which split policies and statistics work on them.

Strings are hashed once for each distinct concept of a block; from there on everything is arithmetic on integers. With
64 bits, two of a billion concept sets share a hash with a probability of 3 %, and one of them shares one with one of
10,000 held-out sets with a probability below 1e-6. Under every policy such a clash drops one sentence too many; it
never lets one through.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from conceptloom.arrays.columns import one_array
from conceptloom.arrays.lists import list_array, list_sizes, offsets_of
from conceptloom.arrays.runs import distinct, gather
from conceptloom.arrays.types import Bool, Column, Int64, UInt64
from conceptloom.hashing import splitmix64, string_hashes

_SIEVE_BITS = 22
_ROWS = 8192
"""Rows computed with at once: their combinations stay in the processor's cache."""


class ConceptSets(NamedTuple):
    """Rows of concept hashes: row i is `values[offsets[i]:offsets[i + 1]]`; offsets have shape (rows + 1,)."""

    values: UInt64
    offsets: Int64

    @property
    def sizes(self) -> Int64:
        """The number of concepts of each row, shape (rows,)."""
        return np.diff(self.offsets)

    def take(self, rows: Int64) -> "ConceptSets":
        """Returns the given rows, in the order given."""
        sizes = self.sizes[rows]
        return ConceptSets(self.values[gather(self.offsets[rows], sizes)], offsets_of(sizes))

    def keep(self, wanted: Bool) -> "ConceptSets":
        """Returns the same rows without the values that `wanted`, shape (len(values),), omits."""
        return ConceptSets(self.values[wanted], offsets_of(wanted)[self.offsets])

    def by_size(self, least: int = 1) -> Iterator[tuple[Int64, UInt64]]:
        """Yields (rows, matrix of shape (len(rows), size)) of equal sizes from `least` up, some thousand rows each."""
        sizes = self.sizes
        for size in distinct(sizes[sizes >= least]).tolist():
            members = np.flatnonzero(sizes == size)
            for start in range(0, len(members), _ROWS):
                rows = members[start : start + _ROWS]
                yield rows, self.values[self.offsets[rows][:, None] + np.arange(size)]

    def to_arrow(self) -> pa.ListArray:
        """Returns the rows as an Arrow array of lists of uint64."""
        return list_array(self.values, self.offsets)

    @classmethod
    def from_arrow(cls, column: Column) -> "ConceptSets":
        """The inverse of `to_arrow`, also for a slice or a chunked column."""
        lists = one_array(column)
        return cls(lists.flatten().to_numpy(zero_copy_only=False), offsets_of(list_sizes(lists)))


class Subsets(NamedTuple):
    """Concept combinations: the row that holds each one, and its hash. Both of shape (combinations,)."""

    rows: Int64
    keys: UInt64


def stored_sets(concepts: Column) -> ConceptSets:
    """Returns the rows of a column of lists of strings, in their stored order. A missing list is an empty row."""
    column = one_array(concepts)
    encoded = column.flatten().dictionary_encode()
    hashes = string_hashes(encoded.dictionary)
    return ConceptSets(hashes[encoded.indices.to_numpy(zero_copy_only=False)], offsets_of(list_sizes(column)))


def distinct_sets(sets: ConceptSets) -> ConceptSets:
    """Returns each row sorted, every concept once: the form in which equal sets are equal rows."""
    values, fresh = np.empty_like(sets.values), np.ones(len(sets.values), dtype=np.bool_)
    for rows, matrix in sets.by_size():
        places = sets.offsets[rows][:, None] + np.arange(matrix.shape[1])
        values[places] = ordered = np.sort(matrix, axis=1)
        fresh[places[:, 1:]] = ordered[:, 1:] != ordered[:, :-1]
    return ConceptSets(values, sets.offsets).keep(fresh)


def concept_sets(concepts: Column) -> ConceptSets:
    """Returns the sets of a column of lists of strings: sorted by hash, every concept once."""
    return distinct_sets(stored_sets(concepts))


def set_hashes(sets: ConceptSets) -> UInt64:
    """Returns a hash of each row, shape (rows,), that does not depend on the order within the row."""
    return mixed_hashes(ConceptSets(splitmix64(sets.values), sets.offsets))


def mixed_hashes(mixed: ConceptSets) -> UInt64:
    """Returns the `set_hashes` of rows, given the splitmix64 of each concept's hash."""
    with np.errstate(over="ignore"):
        # Sums modulo 2**64 do not depend on order, and a running sum wraps around without harm to its differences.
        sums = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(mixed.values, dtype=np.uint64)))
        totals = sums[mixed.offsets[1:]] - sums[mixed.offsets[:-1]]
    return splitmix64(totals ^ mixed.sizes.astype(np.uint64))


def tuple_hashes(tuples: UInt64) -> UInt64:
    """Returns a hash of each tuple, shape (..., width) -> (...), that depends on its order."""
    keys = splitmix64(tuples[..., 0])
    with np.errstate(over="ignore"):
        for place in range(1, tuples.shape[-1]):
            keys = splitmix64(keys + tuples[..., place])
    return keys


def subsets(sets: ConceptSets, width: int) -> Subsets:
    """Returns all combinations of `width` concepts of each row. Rows of `distinct_sets` give unordered combinations.

    Memory: 16 bytes for each combination, so size ** width / width! times that for each row.
    """
    rows, keys = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.uint64)]
    for members, matrix in sets.by_size(least=width):
        places = np.array(list(combinations(range(matrix.shape[1]), width)))
        rows.append(np.repeat(members, len(places)))
        keys.append(tuple_hashes(matrix[:, places]).ravel())
    return Subsets(np.concatenate(rows), np.concatenate(keys))


def found_in(keys: UInt64, values: UInt64) -> Bool:
    """Returns whether each of `values` is one of `keys` (sorted), shape (len(values),)."""
    if not len(keys):
        return np.zeros(len(values), dtype=np.bool_)
    # Most values are absent: one look into a small table of low bits saves them the binary search.
    found = _sieved(keys, values)
    maybe = values[found]
    places = np.minimum(np.searchsorted(keys, maybe), len(keys) - 1)
    found[found] = keys[places] == maybe
    return np.asarray(found, dtype=np.bool_)


def keys_among(keys: UInt64, values: UInt64) -> Bool:
    """Returns whether each of `keys` (sorted) is one of `values`, which are far more; shape (len(keys),)."""
    return found_in(distinct(values[_sieved(keys, values)]), keys)


def _sieved(keys: UInt64, values: UInt64) -> Bool:
    """Which of the values have the low bits of any key."""
    sieve, low = np.zeros(1 << _SIEVE_BITS, dtype=np.bool_), np.uint64((1 << _SIEVE_BITS) - 1)
    sieve[keys & low] = True
    return sieve[values & low]
