"""Which sets may be held out: one sentence for each eligible set, the first of each stratum by seeded priority.

Distributed: `set_rows` of each shard, routed by bucket of `set`, so that all sentences of a set meet in one bucket;
`candidates` of each bucket with the bucket's lone pairs; `merge_candidates` of all. Memory: one bucket, and `wanted`
rows for each stratum.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.blocks import table_of
from conceptloom.arrays.columns import strings
from conceptloom.arrays.concept_sets import ConceptSets, found_in, set_hashes
from conceptloom.arrays.runs import hash_order, is_first, positions
from conceptloom.arrays.types import Bool, Int64, UInt64
from conceptloom.hashing import ID_LENGTH, id_heads, seed_for, splitmix64
from conceptloom.splits.evidence import LONE_PAIRS
from conceptloom.splits.policies import SMALLEST_SET, Policy
from conceptloom.splits.sizes import Stratum
from conceptloom.tables import read_ipc, to_ipc

SET_ROWS = pa.schema(
    [
        ("set", pa.uint64()),
        ("id", pa.string()),
        ("source", pa.string()),
        ("size", pa.int32()),
        ("concepts", pa.list_(pa.uint64())),
    ]
)
"""A sentence's set (hash), its stratum, and the hashes of its concepts, sorted."""

_STRATA = b"strata"


class Supply(NamedTuple):
    """The sentences of a stratum (with sets of at least two concepts), and its distinct eligible sets."""

    sentences: int
    eligible: int


@dataclass(frozen=True)
class Candidates:
    """The rows that may be held out (schema SET_ROWS, distinct sets), and the supply of each stratum."""

    rows: pa.Table
    strata: Mapping[Stratum, Supply]

    def to_bytes(self) -> bytes:
        """Returns Arrow IPC bytes; the strata are the schema's metadata."""
        strata = json.dumps([[*stratum, *supply] for stratum, supply in sorted(self.strata.items())])
        return to_ipc(self.rows.replace_schema_metadata({_STRATA: strata.encode()}))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Candidates":
        """The inverse of `to_bytes`."""
        rows = read_ipc(data)
        strata = json.loads(rows.schema.metadata[_STRATA])
        supplies = {(source, size): Supply(sentences, eligible) for source, size, sentences, eligible in strata}
        return cls(rows.replace_schema_metadata(None), supplies)


def set_rows(sentences: pa.Table, sets: ConceptSets, stratify: bool = True) -> pa.RecordBatch:
    """Returns the sets of a shard (schema SENTENCES) that are large enough to hold out, one row for each sentence.

    `sets` are the `concept_sets` of the sentences. The rows have schema SET_ROWS. Where the split is not stratified,
    all rows belong to the one stratum ("", 0).
    """
    rows = np.flatnonzero(sets.sizes >= SMALLEST_SET)
    sets = sets.take(rows)
    hashes = set_hashes(sets)
    kept = sentences.select(["id", "source"]).take(pa.array(rows))
    ids, sources = (kept[name].combine_chunks() for name in ("id", "source"))
    size = sets.sizes if stratify else np.zeros(len(rows), dtype=np.int64)
    source = pc.fill_null(sources, "") if stratify else pa.repeat("", len(rows))
    columns = [pa.array(hashes), ids, source, pa.array(size.astype(np.int32)), sets.to_arrow()]
    return pa.record_batch(columns, schema=SET_ROWS)


def candidates(
    rows: Iterable[pa.RecordBatch], lone: Iterable[pa.RecordBatch], policy: Policy, wanted: int, seed: int
) -> Candidates:
    """Returns the candidates of one set bucket: at most `wanted` of each stratum.

    `rows` are the bucket's SET_ROWS and `lone` its LONE_PAIRS (none where `policy.min_pairs` is 0), in any order. The
    sentence with the smallest seeded priority represents its set and decides the set's stratum.
    """
    table = table_of(rows, SET_ROWS)
    firsts = _representatives(table, seed)
    if policy.min_pairs:
        firsts = firsts[_has_lone_pairs(table["set"].to_numpy()[firsts], lone, policy.min_pairs)]
    eligible = table.take(pa.array(firsts)).combine_chunks()
    sentences, sets = _stratum_counts(table), _stratum_counts(eligible)
    supplies = {stratum: Supply(count, sets.get(stratum, 0)) for stratum, count in sentences.items()}
    return Candidates(_best(eligible, wanted, seed), supplies)


def merge_candidates(parts: Iterable[Candidates], wanted: int, seed: int) -> Candidates:
    """Returns the candidates of several set buckets as one; associative, so partial merges may be merged again."""
    tables, supplies = [SET_ROWS.empty_table()], dict[Stratum, Supply]()
    for part in parts:
        tables.append(part.rows)
        for stratum, (sentences, eligible) in part.strata.items():
            before = supplies.get(stratum, Supply(0, 0))
            supplies[stratum] = Supply(before.sentences + sentences, before.eligible + eligible)
    together = pa.concat_tables(tables).combine_chunks()
    tables.clear()
    return Candidates(_best(together, wanted, seed), supplies)


def set_priorities(sets: UInt64, seed: int) -> UInt64:
    """Returns the priority by which sets are held out, smallest first; distinct sets have distinct priorities."""
    return splitmix64(sets ^ seed_for("split", seed))


def _representatives(table: pa.Table, seed: int) -> Int64:
    """The row that represents each distinct set: smallest seeded priority of the id, ties by id."""
    sets = table["set"].to_numpy()
    order = hash_order(sets)
    fresh = is_first(sets[order])
    alone = fresh & np.append(fresh, True)[1:]
    # Few sets have several sentences, and only those need the slow sort by id.
    several = order[~alone]
    if not len(several):
        return np.asarray(order, dtype=np.int64)
    ids = strings(table["id"].take(pa.array(several)), ID_LENGTH)
    several = several[np.lexsort((ids, splitmix64(id_heads(ids) ^ seed_for("split", seed)), sets[several]))]
    return np.concatenate((order[alone], several[fresh[~alone]]))


def _has_lone_pairs(sets: UInt64, lone: Iterable[pa.RecordBatch], least: int) -> Bool:
    """Whether each set has at least `least` pairs to itself; the counts of several pair buckets are added."""
    table = table_of(lone, LONE_PAIRS)
    holders, places = np.unique(table["set"].to_numpy(), return_inverse=True)
    counts = np.zeros(len(holders), dtype=np.int64)
    np.add.at(counts, places, table["pairs"].to_numpy())
    return found_in(holders[counts >= least], sets)


def _stratum_counts(table: pa.Table) -> dict[Stratum, int]:
    """The number of rows of each stratum."""
    counts = table.group_by(["source", "size"]).aggregate([([], "count_all")])
    return dict(zip(zip(counts["source"].to_pylist(), counts["size"].to_pylist()), counts["count_all"].to_pylist()))


def _best(table: pa.Table, wanted: int, seed: int) -> pa.Table:
    """The first `wanted` rows of each stratum by seeded priority of their sets, sorted by that priority."""
    sources = table["source"].combine_chunks().dictionary_encode().indices.to_numpy(zero_copy_only=False)
    strata = sources.astype(np.int64) << 32 | table["size"].to_numpy()
    priorities = set_priorities(table["set"].to_numpy(), seed)
    order = np.lexsort((priorities, strata))
    _, counts = np.unique(strata, return_counts=True)
    kept = order[positions(counts) < wanted]
    return table.take(pa.array(kept[np.argsort(priorities[kept])])).combine_chunks()
