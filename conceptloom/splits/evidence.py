"""Which pairs of concepts no other set of the corpus holds: the evidence for policy `unseen-pairs`.

Distributed: `pair_evidence` of each shard, routed by bucket of `pair`; `lone_pairs` of each of these buckets, routed by
bucket of `set` to `conceptloom.splits.candidates`. Memory: one shard, or one bucket, of 16 bytes a pair.
"""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from conceptloom.arrays.blocks import table_of
from conceptloom.arrays.concept_sets import ConceptSets, set_hashes, subsets
from conceptloom.arrays.runs import hash_order, run_starts
from conceptloom.arrays.types import UInt64

PAIR_EVIDENCE = pa.schema([("pair", pa.uint64()), ("set", pa.uint64())])
"""A pair of concepts (hash) and a set (hash) that holds it."""

LONE_PAIRS = pa.schema([("set", pa.uint64()), ("pairs", pa.int64())])
"""A set, and the number of pairs of one bucket that it has to itself."""


def pair_evidence(sets: ConceptSets) -> pa.RecordBatch:
    """Returns for each pair of concepts of a shard's sets (`concept_sets`) the set that holds it, or two of several.

    Two distinct holders are as good as all of them: they prove that no set has the pair to itself. The rows have schema
    PAIR_EVIDENCE and no order.
    """
    hashes = set_hashes(sets)
    order = hash_order(hashes)
    firsts = order[run_starts(hashes[order])]
    rows, keys = subsets(sets.take(firsts), 2)
    pairs, least, most = _holders(keys, hashes[firsts][rows])
    shared = least != most
    columns = [np.concatenate((pairs, pairs[shared])), np.concatenate((least, most[shared]))]
    return pa.record_batch([pa.array(column) for column in columns], schema=PAIR_EVIDENCE)


def lone_pairs(evidence: Iterable[pa.RecordBatch]) -> pa.RecordBatch:
    """Returns how many pairs of one bucket each set has to itself, given all evidence of the bucket in any order.

    The rows have schema LONE_PAIRS and are sorted by set; sets without such a pair are omitted.
    """
    table = table_of(evidence, PAIR_EVIDENCE)
    _, least, most = _holders(table["pair"].to_numpy(), table["set"].to_numpy())
    sets, pairs = np.unique(least[least == most], return_counts=True)
    return pa.record_batch([pa.array(sets), pa.array(pairs.astype(np.int64))], schema=LONE_PAIRS)


def _holders(pairs: UInt64, sets: UInt64) -> tuple[UInt64, UInt64, UInt64]:
    """The distinct pairs, and the smallest and the largest set that holds each; all of shape (distinct,)."""
    if not len(pairs):
        return pairs, sets, sets
    order = hash_order(pairs)
    pairs, sets = pairs[order], sets[order]
    starts = run_starts(pairs)
    return pairs[starts], np.minimum.reduceat(sets, starts), np.maximum.reduceat(sets, starts)
