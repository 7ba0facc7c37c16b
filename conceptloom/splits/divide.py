"""The division of a shard: every sentence goes to train, validation or test, or is dropped with a reason."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.concept_sets import concept_sets, found_in, set_hashes
from conceptloom.arrays.types import Int8, Int64, UInt64
from conceptloom.schemas import REJECTED
from conceptloom.splits.assignment import DROPPED, TRAIN, Assignment, held_out_rows
from conceptloom.splits.overlap import shared_with
from conceptloom.splits.policies import SAME_SET, Policy


class Division(NamedTuple):
    """Where each row of a shard goes: TRAIN, VALIDATION, TEST or DROPPED.

    A dropped row also has a reason and the id of the held-out sentence it clashes with; other rows have empty strings.
    """

    splits: Int8
    reasons: pa.Array
    details: pa.Array


def divide(sentences: pa.Table, assignment: Assignment, policy: Policy) -> Division:
    """Returns the division of a shard (schema SENTENCES). Memory: the shard and the assignment.

    A sentence with the set of a held-out one is dropped (`same_set`); then one that shares more than the policy allows,
    for the policy's reason. If it clashes with several held-out sentences, the detail is the smallest of their ids.
    """
    own = held_out_rows(sentences["id"], assignment)
    sets = concept_sets(sentences["concepts"])
    same = _equal_sets(set_hashes(sets), assignment.sets())
    near = same
    if policy.max_shared is not None:
        near = shared_with(sets, assignment.concepts(), policy.max_shared)
    clash = np.where(own >= 0, -1, np.where(same >= 0, same, near))
    splits = np.where(clash >= 0, DROPPED, _splits_of(own, assignment)).astype(np.int8)
    return Division(splits, _reasons(clash, same, policy), _details(clash, assignment))


def dropped_rows(sentences: pa.Table, division: Division, stage: str = "split") -> pa.Table:
    """Returns the dropped rows of the shard, with schema REJECTED."""
    rows = pa.array(np.flatnonzero(division.splits == DROPPED))
    kept = sentences.select(["id", "text", "source", "locator"]).take(rows)
    columns = [*kept.columns, pa.repeat(stage, len(rows)), division.reasons.take(rows), division.details.take(rows)]
    return pa.table(columns, schema=REJECTED)


def _equal_sets(hashes: UInt64, held_out: UInt64) -> Int64:
    """The first row of the assignment with the same set, or -1; shape (len(hashes),)."""
    result = np.full(len(hashes), -1, dtype=np.int64)
    order = np.argsort(held_out, kind="stable")
    found = np.flatnonzero(found_in(held_out[order], hashes))
    result[found] = order[np.searchsorted(held_out[order], hashes[found])]
    return result


def _splits_of(own: Int64, assignment: Assignment) -> Int8:
    splits = np.full(len(own), TRAIN, dtype=np.int8)
    splits[own >= 0] = assignment.rows["split"].to_numpy()[own[own >= 0]]
    return splits


def _reasons(clash: Int64, same: Int64, policy: Policy) -> pa.Array:
    codes = np.where(clash < 0, 0, np.where(same >= 0, 1, 2))
    return pa.array(["", SAME_SET, policy.reason]).take(pa.array(codes))


def _details(clash: Int64, assignment: Assignment) -> pa.Array:
    ids = assignment.rows["id"].combine_chunks().take(pa.array(clash, mask=clash < 0))
    return pc.fill_null(ids, "")
