"""Terms as numbers: concepts by rarity, words by spelling, the same numbers in every process.

Distributed: `count_terms` of each shard, `merge_counts` of all, then one lexicon for all shards. Memory: the distinct
terms.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.columns import one_array
from conceptloom.arrays.lists import Lists, join_terms, list_array, list_sizes, offsets_of
from conceptloom.arrays.runs import is_first
from conceptloom.arrays.types import Column, Int64, UInt64
from conceptloom.errors import BuildError
from conceptloom.hashing import string_hashes
from conceptloom.tables import read_ipc, to_ipc

TERM_COUNTS = pa.schema([("term", pa.string()), ("sentences", pa.int64())])
"""A term (concept or word) and the number of sentences that hold it."""


@dataclass(frozen=True)
class Lexicon:
    """Distinct terms. The number of a term is its place among them."""

    terms: pa.Array

    def __len__(self) -> int:
        return len(self.terms)

    def hashes(self) -> UInt64:
        """Returns a 64-bit hash of each term, shape (terms,), that does not depend on its number."""
        return string_hashes(self.terms)

    def numbers(self, lists: Column) -> Lists:
        """Returns the numbers of the terms of each row (a column of lists of strings), ascending, each once per row.

        Raises BuildError for a term that the lexicon lacks.
        """
        rows, codes, terms = _distinct(lists)
        known = pc.index_in(terms, value_set=self.terms)
        if known.null_count:
            missing = terms.filter(pc.is_null(known))[0].as_py()
            raise BuildError(f"the lexicon lacks the term {missing!r}: count the terms of all sentences first")
        span = max(1, len(self))
        keys = np.sort(rows * span + known.to_numpy()[codes])
        return Lists((keys % span).astype(np.int32), offsets_of(np.bincount(keys // span, minlength=len(lists))))

    def strings(self, numbers: Column) -> pa.ListArray:
        """Returns the terms of rows of numbers, in their order: the inverse of `numbers` but for order and copies."""
        lists = Lists.from_arrow(numbers)
        return list_array(self.terms.take(pa.array(lists.values)), lists.offsets)

    def spelled(self, numbers: Column) -> pa.ListArray:
        """Returns the same as `strings`, with each row in the order of the spelling."""
        lists = self._by_spelling(numbers)
        return list_array(self.terms.take(pa.array(lists.values)), lists.offsets)

    def joined(self, numbers: Column, separator: str) -> pa.Array:
        """Returns the terms of each row of numbers in the order of the spelling, joined to one string."""
        return join_terms(self.terms, self._by_spelling(numbers), separator)

    def _by_spelling(self, numbers: Column) -> Lists:
        """The same rows, each in the order of the terms' spelling."""
        lists, bits = Lists.from_arrow(numbers), len(self).bit_length()
        order = pc.sort_indices(self.terms).to_numpy().astype(np.int32)
        places = np.empty(len(self), dtype=np.int64)
        places[order] = np.arange(len(self))
        keys = np.sort(np.repeat(np.arange(len(lists.sizes)) << bits, lists.sizes) | places[lists.values])
        return Lists(order[keys & ((1 << bits) - 1)], lists.offsets)

    def to_bytes(self) -> bytes:
        """Arrow IPC bytes."""
        return to_ipc(pa.table({"term": self.terms}))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Lexicon":
        """The inverse of `to_bytes`."""
        return cls(one_array(read_ipc(data)["term"]))


def count_terms(lists: Column) -> pa.Table:
    """Returns how many rows of a column of lists of strings hold each term, sorted by term; schema TERM_COUNTS."""
    _, codes, terms = _distinct(lists)
    counts = np.bincount(codes, minlength=len(terms)).astype(np.int64)
    return pa.table([terms, pa.array(counts)], schema=TERM_COUNTS).sort_by("term")


def merge_counts(blocks: Iterable[pa.Table]) -> pa.Table:
    """Returns the sums of the counts of several blocks (schema TERM_COUNTS), sorted by term."""
    table = pa.concat_tables([TERM_COUNTS.empty_table(), *blocks])
    sums = table.group_by("term").aggregate([("sentences", "sum")])
    return pa.table([sums["term"], sums["sentences_sum"]], schema=TERM_COUNTS).sort_by("term").combine_chunks()


def by_rarity(counts: pa.Table) -> Lexicon:
    """Returns the lexicon whose number 0 is the rarest term; equal counts are ordered by spelling."""
    ordered = counts.sort_by([("sentences", "ascending"), ("term", "ascending")])
    return Lexicon(one_array(ordered["term"]))


def by_spelling(counts: pa.Table) -> Lexicon:
    """Returns the lexicon of the terms in the order of their spelling."""
    return Lexicon(one_array(counts.sort_by("term")["term"]))


def _distinct(lists: Column) -> tuple[Int64, Int64, pa.Array]:
    """(rows, codes) of the distinct terms of each row, in ascending order, and the terms by code."""
    column = one_array(lists)
    encoded = column.flatten().dictionary_encode()
    span = max(1, len(encoded.dictionary))
    rows = np.repeat(np.arange(len(column)), list_sizes(column))
    keys = np.sort(rows * span + encoded.indices.to_numpy(zero_copy_only=False))
    keys = keys[is_first(keys)]
    return keys // span, keys % span, encoded.dictionary
