"""Screening a corpus against validation and test of an earlier build: what may be train, and what falls out.

Distributed: `pair_holders` of each shard, summed by `sum_holders` and given to `protect`, which makes the `Screen` that
every shard is put through by `screened`. Memory: one shard and the held-out sets.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.blocks import table_of
from conceptloom.arrays.concept_sets import (
    ConceptSets,
    Int64,
    Subsets,
    concept_sets,
    found_in,
    offsets_of,
    set_hashes,
    subsets,
)
from conceptloom.errors import ConfigError
from conceptloom.hashing import UInt64
from conceptloom.splits.assignment import ASSIGNMENT, DROPPED, SPLIT_NAMES, TRAIN, Assignment
from conceptloom.splits.divide import Division, divide
from conceptloom.splits.policies import HELD_OUT, SHOWS_PAIR, Policy
from conceptloom.tables import read_ipc, to_ipc

PAIR_HOLDERS = pa.schema([("pair", pa.uint64()), ("rows", pa.int64())])
"""A pair of concepts (hash) of a held-out set, and how many rows that may be train hold it."""

_PROTECTED = pa.field("protected", pa.list_(pa.uint64()))


@dataclass(frozen=True)
class Screen:
    """The held-out sentences, and of each the pairs (hashes) that train must not show: row i of `protected`."""

    assignment: Assignment
    protected: ConceptSets

    def to_bytes(self) -> bytes:
        """Arrow IPC bytes."""
        offsets = pa.array(self.protected.offsets.astype(np.int32))
        pairs = pa.ListArray.from_arrays(offsets, pa.array(self.protected.values))
        return to_ipc(self.assignment.rows.append_column(_PROTECTED, pairs))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Screen":
        """The inverse of `to_bytes`."""
        table = read_ipc(data).combine_chunks()
        pairs = table[_PROTECTED.name].combine_chunks()
        sizes = pc.list_value_length(pairs).to_numpy(zero_copy_only=False)
        protected = ConceptSets(pairs.flatten().to_numpy(), offsets_of(sizes))
        return cls(Assignment(table.select(ASSIGNMENT.names)), protected)


def frozen_assignment(rows: pa.Table) -> Assignment:
    """The assignment that held-out rows of a data set are: `id`, `concepts`, and `split`, the split's name."""
    rows = rows.select(["id", "concepts", "split"]).sort_by("id").combine_chunks()
    sets = concept_sets(rows["concepts"])
    numbers = {name: number for number, name in SPLIT_NAMES.items()}
    splits = pa.array([numbers[name] for name in rows["split"].to_pylist()], pa.int8())
    concepts = pa.ListArray.from_arrays(pa.array(sets.offsets.astype(np.int32)), pa.array(sets.values))
    columns = [rows["id"], pa.array(set_hashes(sets)), splits, concepts]
    return Assignment(pa.table(columns, schema=ASSIGNMENT))


def require_pairs(assignment: Assignment, policy: Policy) -> None:
    """Raises ConfigError where a held-out set is too small for the pairs that the policy promises of it."""
    sizes = assignment.concepts().sizes
    small = np.flatnonzero(sizes * (sizes - 1) // 2 < policy.min_pairs)
    if len(small):
        first = assignment.rows["id"][int(small[0])].as_py()
        raise ConfigError(
            f"split.min_pairs = {policy.min_pairs} cannot be promised of {len(small):,} frozen sets: that of sentence "
            f"{first} has {sizes[small[0]]} concepts; lower split.min_pairs"
        )


def pair_holders(sentences: pa.Table, assignment: Assignment, policy: Policy) -> pa.RecordBatch:
    """How many rows of a shard hold each pair of a held-out set, among the rows that `divide` leaves to train.

    Schema PAIR_HOLDERS, sorted by pair; pairs that no row holds are left out.
    """
    train = sentences.filter(pa.array(divide(sentences, assignment, policy).splits == TRAIN))
    pairs = np.unique(subsets(assignment.concepts(), 2).keys)
    found, rows = np.unique(_shown(train, assignment, pairs).keys, return_counts=True)
    return pa.record_batch([pa.array(found), pa.array(rows.astype(np.int64))], schema=PAIR_HOLDERS)


def sum_holders(parts: Iterable[pa.RecordBatch]) -> pa.RecordBatch:
    """The counts of several shards added up: schema PAIR_HOLDERS, sorted by pair. Associative and commutative."""
    table = table_of(parts, PAIR_HOLDERS)
    pairs, places = np.unique(table["pair"].to_numpy(), return_inverse=True)
    rows = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(rows, places, table["rows"].to_numpy())
    return pa.record_batch([pa.array(pairs), pa.array(rows)], schema=PAIR_HOLDERS)


def protect(assignment: Assignment, holders: pa.RecordBatch, policy: Policy) -> Screen:
    """The screen that keeps the policy's promise: of each held-out set its `min_pairs` pairs that cost the least.

    A pair costs the rows that hold it, for these are dropped; of pairs that cost the same the smaller hash is taken.
    `holders` is what `sum_holders` answers for all shards.
    """
    rows, pairs = subsets(assignment.concepts(), 2)
    order = np.lexsort((pairs, _rows_of(pairs, holders), rows))
    sizes = np.bincount(rows, minlength=len(assignment.rows))
    within = np.arange(len(order)) - np.repeat(offsets_of(sizes)[:-1], sizes)
    chosen = pairs[order[within < policy.min_pairs]]
    return Screen(assignment, ConceptSets(chosen, offsets_of(np.minimum(sizes, policy.min_pairs))))


def screened(sentences: pa.Table, screen: Screen, policy: Policy) -> Division:
    """Divides a shard (schema SENTENCES) into train and what is dropped: the held-out rows are those of the screen.

    A held-out sentence itself is dropped (`held_out`), then what `divide` drops, then a row that holds a protected
    pair (`shows_pair`). The detail is the id of the held-out sentence; of several, the smallest.
    """
    splits, reasons, details = divide(sentences, screen.assignment, policy)
    own = pa.array(splits > TRAIN)
    clash = np.where(splits == TRAIN, _first_owner(sentences, screen), -1)
    shows = pa.array(clash >= 0)
    owners = screen.assignment.rows["id"].combine_chunks().take(pa.array(clash, mask=clash < 0))
    reasons = pc.if_else(own, HELD_OUT, pc.if_else(shows, SHOWS_PAIR, reasons))
    details = pc.if_else(own, sentences["id"].combine_chunks(), pc.if_else(shows, owners, details))
    return Division(np.where(splits > TRAIN, DROPPED, np.where(clash >= 0, DROPPED, splits)), reasons, details)


def _shown(sentences: pa.Table, assignment: Assignment, pairs: UInt64) -> Subsets:
    """Which of the pairs (sorted) each row of a shard holds."""
    sets = concept_sets(sentences["concepts"])
    known = sets.keep(found_in(np.unique(assignment.concepts().values), sets.values))
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


def _first_owner(sentences: pa.Table, screen: Screen) -> Int64:
    """The first held-out row of which a row of the shard holds a protected pair, or -1; shape (len(sentences),)."""
    owners = np.repeat(np.arange(len(screen.protected.sizes)), screen.protected.sizes)
    # The first of equal pairs is that of the smallest id: the rows are sorted by it.
    pairs, firsts = np.unique(screen.protected.values, return_index=True)
    rows, keys = _shown(sentences, screen.assignment, pairs)
    result = np.full(len(sentences), len(screen.assignment.rows), dtype=np.int64)
    np.minimum.at(result, rows, owners[firsts[np.searchsorted(pairs, keys)]])
    return np.where(result < len(screen.assignment.rows), result, -1)
