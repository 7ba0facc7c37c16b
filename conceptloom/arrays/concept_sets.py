"""Concept sets as columns of 64-bit hashes: what split policies and statistics compute with.

Strings are hashed once for each distinct concept of a block; everything behind that is arithmetic on integers. With 64
bits, two of a billion concept sets share a hash with a probability of 3 %, one of them with one of 10,000 held-out
sets with a probability below 1e-6. In every policy such a clash drops a sentence too many; it never lets one slip in.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.hashing import UInt64, splitmix64, string_hashes

Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]

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
        """The rows named, in the order named."""
        sizes = self.sizes[rows]
        offsets = offsets_of(sizes)
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes)
        return ConceptSets(self.values[np.repeat(self.offsets[rows], sizes) + within], offsets)

    def keep(self, wanted: Bool) -> "ConceptSets":
        """The same rows without the values that `wanted`, shape (len(values),), leaves out."""
        kept = np.concatenate(([0], np.cumsum(wanted, dtype=np.int64)))
        return ConceptSets(self.values[wanted], kept[self.offsets])

    def by_size(self, least: int = 1) -> Iterator[tuple[Int64, UInt64]]:
        """(rows, matrix of shape (len(rows), size)) of equal sizes from `least` up, some thousand rows at a time."""
        sizes = self.sizes
        for size in np.unique(sizes[sizes >= least]):
            members = np.flatnonzero(sizes == size)
            for start in range(0, len(members), _ROWS):
                rows = members[start : start + _ROWS]
                yield rows, self.values[self.offsets[rows][:, None] + np.arange(size)]


class Subsets(NamedTuple):
    """Concept combinations: the row each one stands in, and its hash. Both of shape (combinations,)."""

    rows: Int64
    keys: UInt64


def offsets_of(sizes: Int64) -> Int64:
    """Where each of the rows of these sizes begins, and where the last one ends; shape (len(sizes) + 1,)."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)))


def stored_sets(concepts: Any) -> ConceptSets:
    """The rows of an Arrow column of lists of strings, in their stored order. A missing list is an empty row."""
    column = concepts.combine_chunks() if isinstance(concepts, pa.ChunkedArray) else concepts
    sizes = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    encoded = column.flatten().dictionary_encode()
    hashes = string_hashes(encoded.dictionary)
    return ConceptSets(hashes[encoded.indices.to_numpy(zero_copy_only=False)], offsets_of(sizes))


def distinct_sets(sets: ConceptSets) -> ConceptSets:
    """Each row sorted, every concept once: the form in which equal sets are equal rows."""
    values, fresh = np.empty_like(sets.values), np.ones(len(sets.values), dtype=np.bool_)
    for rows, matrix in sets.by_size():
        places = sets.offsets[rows][:, None] + np.arange(matrix.shape[1])
        values[places] = ordered = np.sort(matrix, axis=1)
        fresh[places[:, 1:]] = ordered[:, 1:] != ordered[:, :-1]
    return ConceptSets(values, sets.offsets).keep(fresh)


def concept_sets(concepts: Any) -> ConceptSets:
    """The distinct sets of an Arrow column of lists of strings: unordered, every concept once."""
    return distinct_sets(stored_sets(concepts))


def set_hashes(sets: ConceptSets) -> UInt64:
    """A hash of each row, shape (rows,), that does not depend on the order within the row."""
    with np.errstate(over="ignore"):
        # Sums modulo 2**64 do not depend on order, and a running sum wraps around without harm to its differences.
        sums = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(splitmix64(sets.values), dtype=np.uint64)))
        totals = sums[sets.offsets[1:]] - sums[sets.offsets[:-1]]
    return splitmix64(totals ^ sets.sizes.astype(np.uint64))


def tuple_hashes(tuples: UInt64) -> UInt64:
    """A hash of each tuple, shape (..., width) -> (...), that depends on its order."""
    keys = splitmix64(tuples[..., 0])
    with np.errstate(over="ignore"):
        for place in range(1, tuples.shape[-1]):
            keys = splitmix64(keys + tuples[..., place])
    return keys


def subsets(sets: ConceptSets, width: int) -> Subsets:
    """All combinations of `width` concepts of each row. Rows of `distinct_sets` give unordered combinations.

    Memory: 16 bytes for each combination, so size ** width / width! times that for each row.
    """
    rows, keys = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.uint64)]
    for members, matrix in sets.by_size(least=width):
        places = np.array(list(combinations(range(matrix.shape[1]), width)))
        rows.append(np.repeat(members, len(places)))
        keys.append(tuple_hashes(matrix[:, places]).ravel())
    return Subsets(np.concatenate(rows), np.concatenate(keys))


def found_in(keys: UInt64, values: UInt64) -> Bool:
    """Whether each of `values` is one of `keys` (sorted), shape (len(values),)."""
    if not len(keys):
        return np.zeros(len(values), dtype=np.bool_)
    # Most values are absent: one look into a small table of low bits spares them the binary search.
    sieve, low = np.zeros(1 << _SIEVE_BITS, dtype=np.bool_), np.uint64((1 << _SIEVE_BITS) - 1)
    sieve[keys & low] = True
    found = sieve[values & low]
    maybe = values[found]
    places = np.minimum(np.searchsorted(keys, maybe), len(keys) - 1)
    found[found] = keys[places] == maybe
    return np.asarray(found, dtype=np.bool_)
