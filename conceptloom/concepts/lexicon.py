"""Terms as numbers: concepts by rarity, words by spelling, the same numbers in every process.

Distributed: `count_terms` of each shard, `merge_counts` of all, then one lexicon for everybody. Memory: the distinct
terms.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.concept_sets import Int64, offsets_of
from conceptloom.errors import BuildError
from conceptloom.hashing import UInt64, string_hashes
from conceptloom.tables import one_array, read_ipc, to_ipc

Int32 = npt.NDArray[np.int32]

TERM_COUNTS = pa.schema([("term", pa.string()), ("sentences", pa.int64())])
"""A term (concept or word) and the number of sentences that hold it."""


class Lists(NamedTuple):
    """Rows of numbers: row i is `values[offsets[i]:offsets[i + 1]]`; offsets have shape (rows + 1,)."""

    values: Int32
    offsets: Int64

    @property
    def sizes(self) -> Int64:
        """How many numbers each row has, shape (rows,)."""
        return np.diff(self.offsets)

    def to_arrow(self) -> pa.ListArray:
        """The rows as an Arrow array of lists of int32."""
        return pa.ListArray.from_arrays(pa.array(self.offsets.astype(np.int32)), pa.array(self.values))

    @classmethod
    def from_arrow(cls, column: Any) -> "Lists":
        """The inverse of `to_arrow`, also of a slice or a chunked column."""
        lists = one_array(column)
        sizes = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
        return cls(lists.flatten().to_numpy(zero_copy_only=False), offsets_of(sizes))


@dataclass(frozen=True)
class Lexicon:
    """Distinct terms; a term's number is its place."""

    terms: pa.Array

    def __len__(self) -> int:
        return len(self.terms)

    def hashes(self) -> UInt64:
        """A 64-bit hash of each term, shape (terms,), that does not depend on its number."""
        return string_hashes(self.terms)

    def numbers(self, lists: Any) -> Lists:
        """The numbers of the terms of each row (column of lists of strings), ascending, each once a row.

        Raises BuildError for a term that the lexicon lacks.
        """
        rows, codes, terms = _distinct(lists)
        known = pc.index_in(terms, value_set=self.terms)
        if known.null_count:
            missing = terms.filter(pc.is_null(known))[0].as_py()
            raise BuildError(f"the lexicon lacks the term {missing!r}: count the terms of all sentences before")
        span = max(1, len(self))
        keys = np.sort(rows * span + known.to_numpy()[codes])
        return Lists((keys % span).astype(np.int32), offsets_of(np.bincount(keys // span, minlength=len(lists))))

    def strings(self, numbers: Any) -> pa.ListArray:
        """The terms of rows of numbers, in their order: what `numbers` took away, but for order and copies."""
        lists = Lists.from_arrow(numbers)
        return pa.ListArray.from_arrays(
            pa.array(lists.offsets.astype(np.int32)), self.terms.take(pa.array(lists.values))
        )

    def spelled(self, numbers: Any) -> pa.ListArray:
        """As `strings`, each row in the order of the spelling."""
        lists, span = Lists.from_arrow(numbers), max(1, len(self))
        order = pc.sort_indices(self.terms).to_numpy()
        places = np.empty(len(self), dtype=np.int64)
        places[order] = np.arange(len(self))
        keys = np.sort(np.repeat(np.arange(len(lists.sizes)) * span, lists.sizes) + places[lists.values])
        names = self.terms.take(pa.array(order[keys % span]))
        return pa.ListArray.from_arrays(pa.array(lists.offsets.astype(np.int32)), names)

    def to_bytes(self) -> bytes:
        """Arrow IPC bytes."""
        return to_ipc(pa.table({"term": self.terms}))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Lexicon":
        """The inverse of `to_bytes`."""
        return cls(one_array(read_ipc(data)["term"]))


def count_terms(lists: Any) -> pa.Table:
    """How many rows of a column of lists of strings hold each term, sorted by term; schema TERM_COUNTS."""
    _, codes, terms = _distinct(lists)
    counts = np.bincount(codes, minlength=len(terms)).astype(np.int64)
    return pa.table([terms, pa.array(counts)], schema=TERM_COUNTS).sort_by("term")


def merge_counts(blocks: Iterable[pa.Table]) -> pa.Table:
    """The counts of several blocks (schema TERM_COUNTS) added up, sorted by term."""
    table = pa.concat_tables([TERM_COUNTS.empty_table(), *blocks])
    sums = table.group_by("term").aggregate([("sentences", "sum")])
    return pa.table([sums["term"], sums["sentences_sum"]], schema=TERM_COUNTS).sort_by("term").combine_chunks()


def by_rarity(counts: pa.Table) -> Lexicon:
    """The lexicon whose number 0 is the rarest term; of equal counts the term's spelling decides."""
    ordered = counts.sort_by([("sentences", "ascending"), ("term", "ascending")])
    return Lexicon(one_array(ordered["term"]))


def by_spelling(counts: pa.Table) -> Lexicon:
    """The lexicon of the terms in the order of their spelling."""
    return Lexicon(one_array(counts.sort_by("term")["term"]))


def _distinct(lists: Any) -> tuple[Int64, Int64, pa.Array]:
    """(rows, codes) of the distinct terms of each row, in order, and the terms that the codes number."""
    column = one_array(lists)
    sizes = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    encoded = column.flatten().dictionary_encode()
    span = max(1, len(encoded.dictionary))
    keys = np.repeat(np.arange(len(column)), sizes) * span + encoded.indices.to_numpy(zero_copy_only=False)
    keys = np.sort(keys)
    keys = keys[np.diff(keys, prepend=-1) != 0]
    return keys // span, keys % span, encoded.dictionary
