"""Postings: for each concept the sentences that hold it, at most N_s of them (Korean CommonGen, section 3.1)."""

from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.columns import one_array
from conceptloom.arrays.ids import id_keys
from conceptloom.arrays.runs import equal_runs, hash_order, is_first, positions, run_starts
from conceptloom.arrays.types import Column, Int64, UInt16, UInt64
from conceptloom.hashing import ID_BYTES, seed_for, splitmix64, string_hashes

Unit = Literal["concept", "morpheme"]


def posting_schema(features: pa.DataType) -> pa.Schema:
    """Returns the schema of posting rows in the shuffle; each carries its sentence's features."""
    return pa.schema(
        [("concept", pa.string()), ("source", pa.string()), ("id", pa.binary(ID_BYTES)), ("features", features)]
    )


class Keys(NamedTuple):
    """The numbers that identify posting and sentence of each posting row; all of shape (rows,)."""

    posting: Int64
    """The posting's number, in the order of (concept, source)."""
    concept: UInt64
    """The hash of the concept."""
    head: UInt64
    """The leading 64 bits of the sentence's id."""
    tail: UInt16
    """Its last 16 bits."""

    def take(self, rows: Int64) -> "Keys":
        """Returns the keys of the given rows."""
        return Keys(self.posting[rows], self.concept[rows], self.head[rows], self.tail[rows])


def explode(sentences: pa.Table, unit: Unit) -> tuple[Int64, pa.Array]:
    """Returns a posting row for each concept of each sentence: (the sentence's row, the concept), of shape (rows,).

    With unit `morpheme` there is a posting row for each distinct content morpheme of each sentence instead.
    """
    lists = sentences["concepts" if unit == "concept" else "morphemes"].combine_chunks()
    rows, concepts = pc.list_parent_indices(lists).to_numpy(), pc.list_flatten(lists)
    if unit == "concept":
        return rows, concepts
    codes = concepts.dictionary_encode().indices.to_numpy().astype(np.int64)
    _, first = np.unique(rows * (codes.max(initial=0) + 1) + codes, return_index=True)
    first.sort()
    return rows[first], concepts.take(pa.array(first))


def posting_keys(
    concepts: Column, sources: Column, ids: Column, rows: Int64 | None = None, per_source: bool = True
) -> Keys:
    """Returns the keys of posting rows, `concepts` being the concept of each.

    `sources` and `ids` (packed) are those of the sentences that `rows` index; without `rows`, those of each posting
    row.
    """
    at = slice(None) if rows is None else rows
    codes, names = _encoded(concepts)
    hashes = string_hashes(names)[codes]
    if per_source:
        source_codes, source_names = _encoded(sources)
        codes = codes * max(len(source_names), 1) + source_codes[at]
    head, tail = id_keys(ids)
    return Keys(codes, hashes, head[at], tail[at])


def _encoded(column: Column) -> tuple[Int64, pa.Array]:
    """(the number of each value, the distinct values in ascending order)."""
    encoded = one_array(column).dictionary_encode()
    order = np.asarray(pc.sort_indices(encoded.dictionary), dtype=np.int64)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[encoded.indices.to_numpy()], encoded.dictionary.take(pa.array(order))


def under_cap(keys: Keys, limit: int, seed: int) -> Int64:
    """Returns the rows that stay when each posting keeps its `limit` sentences of smallest priority, in their order.

    The priority is a seeded hash of sentence and concept, so a shard may apply the cap before it sends its rows: what
    the whole posting keeps is among what its parts keep.
    """
    sizes = np.bincount(keys.posting, minlength=1)
    large = np.flatnonzero(sizes[keys.posting] > limit)
    hot = keys.take(large)
    priority = splitmix64(hot.head ^ splitmix64(hot.concept ^ seed_for("posting", seed)))
    near = _near(priority, hot.posting, sizes, limit)
    order = near[_order(hot.take(near), priority[near])]
    keep = np.ones(len(keys.posting), dtype=np.bool_)
    keep[large] = False
    keep[large[order[_places(hot.posting[order]) < limit]]] = True
    return np.flatnonzero(keep)


def _near(priority: UInt64, posting: Int64, sizes: Int64, limit: int) -> Int64:
    """Rows that hold each posting's `limit` smallest priorities, and few others: the rest need no sorting.

    Priorities are evenly spread, so the share of them below a bound is known but for six standard deviations.
    """
    bounds = (limit + 6 * limit**0.5 + 8) / np.maximum(sizes, 1) * 2.0**64
    near = np.flatnonzero(priority < bounds[posting])
    found = np.bincount(posting[near], minlength=len(sizes))
    return near if (found[posting] >= limit).all() else np.arange(len(posting))


def _order(keys: Keys, hashes: UInt64) -> Int64:
    """The order of the rows by posting, then by `hashes`, which are equal where the heads are, then by id."""
    order = hash_order(hashes)
    order = order[equal_runs(keys.posting[order], int(keys.posting.max(initial=0)) + 1).order]
    if (is_first(keys.posting[order]) | is_first(hashes[order])).all():
        return order
    # Two ids of a posting share 64 bits.
    return np.lexsort((keys.tail, keys.head, hashes, keys.posting))


def _places(ordered: Int64) -> Int64:
    """The position of each row within its run of equal numbers."""
    return positions(np.diff(run_starts(ordered), append=len(ordered)))


def in_postings(keys: Keys) -> tuple[Int64, Int64]:
    """Returns the order of the rows by posting and id, and the offsets of the postings in it, shape (postings + 1,)."""
    order = _order(keys, keys.head)
    ordered = keys.posting[order]
    return order, np.append(run_starts(ordered), len(ordered))
