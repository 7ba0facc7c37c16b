"""The protection of frozen held-out sets: train must not show what validation and test of an earlier build hold.

Distributed: `pair_holders` of each shard, summed by `sum_holders` and passed to `protect`; every shard is divided by
`divide_protected` under the `Protection` that this returns. Memory: one shard and the held-out sets.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.blocks import table_of
from conceptloom.arrays.concept_sets import ConceptSets, Subsets, concept_sets, found_in, set_hashes, subsets
from conceptloom.arrays.lists import offsets_of
from conceptloom.arrays.runs import distinct, positions
from conceptloom.arrays.types import Int64, UInt64
from conceptloom.errors import ConfigError
from conceptloom.splits.assignment import ASSIGNMENT, DROPPED, SPLIT_NAMES, TRAIN, Assignment
from conceptloom.splits.divide import Division, divide
from conceptloom.splits.policies import HELD_OUT, SHOWS_PAIR, Policy
from conceptloom.tables import read_ipc, to_ipc

PAIR_HOLDERS = pa.schema([("pair", pa.uint64()), ("rows", pa.int64())])
"""A pair of concepts (hash) of a held-out set, and how many possible train rows hold it."""

_PROTECTED = pa.field("protected", pa.list_(pa.uint64()))


@dataclass(frozen=True)
class Protection:
    """The held-out sentences, and for each (row i of `protected`) the hashes of the pairs that train must not show."""

    assignment: Assignment
    protected: ConceptSets

    def to_bytes(self) -> bytes:
        """Returns Arrow IPC bytes."""
        return to_ipc(self.assignment.rows.append_column(_PROTECTED, self.protected.to_arrow()))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Protection":
        """The inverse of `to_bytes`."""
        table = read_ipc(data).combine_chunks()
        protected = ConceptSets.from_arrow(table[_PROTECTED.name])
        return cls(Assignment(table.select(ASSIGNMENT.names)), protected)


def frozen_assignment(rows: pa.Table) -> Assignment:
    """Returns held-out rows of a data set as an assignment. Their columns: `id`, `concepts` and `split`, its name."""
    rows = rows.select(["id", "concepts", "split"]).sort_by("id").combine_chunks()
    sets = concept_sets(rows["concepts"])
    numbers = {name: number for number, name in SPLIT_NAMES.items()}
    splits = pa.array([numbers[name] for name in rows["split"].to_pylist()], pa.int8())
    columns = [rows["id"], pa.array(set_hashes(sets)), splits, sets.to_arrow()]
    return Assignment(pa.table(columns, schema=ASSIGNMENT))


def require_pairs(assignment: Assignment, policy: Policy) -> None:
    """Raises ConfigError where a held-out set is too small for the number of pairs that the policy promises."""
    sizes = assignment.concepts().sizes
    small = np.flatnonzero(sizes * (sizes - 1) // 2 < policy.min_pairs)
    if len(small):
        first = assignment.rows["id"][int(small[0])].as_py()
        raise ConfigError(
            f"split.min_pairs = {policy.min_pairs} cannot be promised for {len(small):,} frozen sets: that of sentence "
            f"{first} has {sizes[small[0]]} concepts; lower split.min_pairs"
        )


def pair_holders(sentences: pa.Table, assignment: Assignment, policy: Policy) -> pa.RecordBatch:
    """Returns how many of the rows that `divide` gives to train hold each pair of a held-out set.

    Schema PAIR_HOLDERS, sorted by pair; pairs that no row holds are omitted.
    """
    train = sentences.filter(pa.array(divide(sentences, assignment, policy).splits == TRAIN))
    pairs = distinct(subsets(assignment.concepts(), 2).keys)
    found, rows = np.unique(_shown(train, assignment, pairs).keys, return_counts=True)
    return pa.record_batch([pa.array(found), pa.array(rows.astype(np.int64))], schema=PAIR_HOLDERS)


def sum_holders(parts: Iterable[pa.RecordBatch]) -> pa.RecordBatch:
    """Returns the sums of the counts of several shards: schema PAIR_HOLDERS, by pair. Associative and commutative."""
    table = table_of(parts, PAIR_HOLDERS)
    pairs, places = np.unique(table["pair"].to_numpy(), return_inverse=True)
    rows = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(rows, places, table["rows"].to_numpy())
    return pa.record_batch([pa.array(pairs), pa.array(rows)], schema=PAIR_HOLDERS)


def protect(assignment: Assignment, holders: pa.RecordBatch, policy: Policy) -> Protection:
    """Returns the protection that keeps the policy's promise: the `min_pairs` cheapest pairs of each held-out set.

    A pair costs the rows that hold it, because these are dropped; between equal costs the smaller hash wins. `holders`
    is the result of `sum_holders` for all shards.
    """
    rows, pairs = subsets(assignment.concepts(), 2)
    order = np.lexsort((pairs, _rows_of(pairs, holders), rows))
    sizes = np.bincount(rows, minlength=len(assignment.rows))
    chosen = pairs[order[positions(sizes) < policy.min_pairs]]
    return Protection(assignment, ConceptSets(chosen, offsets_of(np.minimum(sizes, policy.min_pairs))))


def divide_protected(sentences: pa.Table, protection: Protection, policy: Policy) -> Division:
    """Returns the division of a shard (schema SENTENCES) into train and what is dropped to protect the held-out sets.

    A held-out sentence itself is dropped (`held_out`), then what `divide` drops, then a row that holds a protected
    pair (`shows_pair`). The detail is the id of the held-out sentence, the smallest where there are several.
    """
    splits, reasons, details = divide(sentences, protection.assignment, policy)
    own = pa.array(splits > TRAIN)
    clash = np.where(splits == TRAIN, _first_owner(sentences, protection), -1)
    shows = pa.array(clash >= 0)
    owners = protection.assignment.rows["id"].combine_chunks().take(pa.array(clash, mask=clash < 0))
    reasons = pc.if_else(own, HELD_OUT, pc.if_else(shows, SHOWS_PAIR, reasons))
    details = pc.if_else(own, sentences["id"].combine_chunks(), pc.if_else(shows, owners, details))
    return Division(np.where(splits > TRAIN, DROPPED, np.where(clash >= 0, DROPPED, splits)), reasons, details)


def _shown(sentences: pa.Table, assignment: Assignment, pairs: UInt64) -> Subsets:
    """Which of the pairs (sorted) each row of a shard holds."""
    sets = concept_sets(sentences["concepts"])
    known = sets.keep(found_in(distinct(assignment.concepts().values), sets.values))
    rows, keys = subsets(known, 2)
    hits = found_in(pairs, keys)
    return Subsets(rows[hits], keys[hits])


def _rows_of(pairs: UInt64, holders: pa.RecordBatch) -> Int64:
    """How many rows hold each pair, shape (len(pairs),)."""
    known, counts = holders["pair"].to_numpy(), holders["rows"].to_numpy()
    result = np.zeros(len(pairs), dtype=np.int64)
    hits = found_in(known, pairs)
    result[hits] = counts[np.searchsorted(known, pairs[hits])]
    return result


def _first_owner(sentences: pa.Table, protection: Protection) -> Int64:
    """The first held-out row with a protected pair that a row of the shard holds, or -1; shape (len(sentences),)."""
    owners = np.repeat(np.arange(len(protection.protected.sizes)), protection.protected.sizes)
    # The first of equal pairs belongs to the smallest id, because the rows are sorted by id.
    pairs, firsts = np.unique(protection.protected.values, return_index=True)
    rows, keys = _shown(sentences, protection.assignment, pairs)
    result = np.full(len(sentences), len(protection.assignment.rows), dtype=np.int64)
    np.minimum.at(result, rows, owners[firsts[np.searchsorted(pairs, keys)]])
    return np.where(result < len(protection.assignment.rows), result, -1)
