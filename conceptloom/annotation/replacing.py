"""Which candidates take the place of dev and test sets that people could not write good references for.

CommonGen ranks its candidates and gives the best of each size to dev and test (section 3.2); a set that fails is
replaced by the next of its size. Train then gives way under the build's own overlap policy (section 3.5), or only
candidates count that train need not give way to.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.building import text_array
from conceptloom.arrays.columns import one_array
from conceptloom.arrays.concept_sets import concept_sets
from conceptloom.arrays.types import Bool, Column, Int64
from conceptloom.splits import SPLIT_NAMES
from conceptloom.splits.train_sets import Held, TrainPolicy

SETS = pa.schema([("id", pa.string()), ("concepts", pa.list_(pa.string()))])
CANDIDATES = pa.schema([*SETS, pa.field("rank", pa.int64())])
"""`rank`: the place among the candidates of this size, 1 for the best."""
TRAIN, DEV, TEST = SPLIT_NAMES.values()
OF_THE_SET = frozenset(("no_sentence", "concept_list", "coverage", "rationale", "perplexity"))
"""The reasons for which an answer speaks against its set: not a worker's other answers, nor a repetition."""
BECAME = {DEV: "became_dev_set", TEST: "became_test_set"}
"""Why a set leaves train that takes the place of another; the other reasons are the policy's."""


class Tally(NamedTuple):
    """The answers for one set: how many were taken, and how many rejected, by reason (those of OF_THE_SET)."""

    taken: int
    rejected: Mapping[str, int]


class Splits(NamedTuple):
    """The sets of each split, schema SETS, and the sets that may be moved to dev or test, schema CANDIDATES."""

    train: pa.Table
    dev: pa.Table
    test: pa.Table
    candidates: pa.Table

    def held(self) -> dict[str, pa.Table]:
        """Dev and test by the names that files give them."""
        return {DEV: self.dev, TEST: self.test}

    def held_ids(self) -> list[str]:
        """The ids of dev's and test's sets."""
        return [one for sets in self.held().values() for one in sets["id"].to_pylist()]


class Move(NamedTuple):
    """The row of a candidate and the split that it moves to, in the place of the set with the id `instead`."""

    instead: str
    split: str
    row: int


def failed_sets(tallies: Mapping[str, Tally], least: int, rejections: int) -> list[str]:
    """Returns the sets with fewer than `least` references and at least `rejections` rejected answers, sorted.

    A set with too few answers, none of them rejected, still waits for its workers; with `rejections` 0 it fails too.
    """
    return sorted(
        one for one, tally in tallies.items() if tally.taken < least and sum(tally.rejected.values()) >= rejections
    )


def unseen_by_train(splits: Splits, policy: TrainPolicy) -> Bool:
    """Returns which candidates train need not give way to, shape (candidates,).

    They are not in train, and what the policy forbids train to share with a test set, they share with no set of train.
    """
    train = concept_sets(splits.train["concepts"])
    empty = concept_sets(SETS.empty_table()["concepts"])
    # What the policy forbids is symmetric: the candidates are judged as if train were test.
    verdict = policy.judge(concept_sets(splits.candidates["concepts"]), Held(empty, train))
    inside = pc.is_in(splits.candidates["id"], value_set=one_array(splits.train["id"]))
    return np.asarray(verdict.keep & ~inside.to_numpy(), dtype=np.bool_)


def next_best(splits: Splits, failed: Sequence[str], eligible: Bool) -> tuple[list[Move], list[str]]:
    """Returns the moves, by the id of the failed set, and the failed sets for which no candidate is left.

    The failed sets of a size get, in the order of their ids, the eligible candidates of this size by rank, ties by id.
    `eligible`: shape (candidates,).
    """
    queues = _queues(splits.candidates, eligible)
    moves, without = [], []
    sizes = {one: (split, size) for split, sets in splits.held().items() for one, size in _sizes(sets)}
    for one in sorted(failed):
        split, size = sizes[one]
        if queues.get(size):
            moves.append(Move(one, split, queues[size].pop()))
        else:
            without.append(one)
    return moves, without


def moved(splits: Splits, moves: Sequence[Move]) -> Splits:
    """Returns the splits after the moves; train still holds what it must give up, apart from the moved sets."""
    gone = {move.instead for move in moves}
    rows = {name: [move.row for move in moves if move.split == name] for name in (DEV, TEST)}
    new = {name: splits.candidates.take(pa.array(rows[name], pa.int64())).select(SETS.names) for name in rows}
    chosen = pa.concat_tables(new.values())["id"].to_pylist()
    left = {name: without_sets(sets, gone) for name, sets in splits.held().items()}
    dev, test = (pa.concat_tables([left[name], new[name].cast(SETS)]) for name in (DEV, TEST))
    return Splits(without_sets(splits.train, chosen), dev, test, without_sets(splits.candidates, chosen))


def leaving_train(before: Splits, after: Splits, policy: TrainPolicy) -> pa.Table:
    """Returns the sets that train must give up, schema SETS and `reason`: moved sets, then those that share too much.

    The policy judges train anew, with dev and test as they are after the moves, so that its promise holds for them.
    """
    became = [_with_reason(_among(before.train, sets["id"]), BECAME[name]) for name, sets in after.held().items()]
    held = Held(*(concept_sets(sets["concepts"]) for sets in (after.dev, after.test)))
    verdict = policy.judge(concept_sets(after.train["concepts"]), held)
    shared = [
        _with_reason(after.train.filter(pa.array(verdict.reasons == number)), reason)
        for number, reason in enumerate(verdict.dropped)
    ]
    return pa.concat_tables([*became, *shared])


def _queues(candidates: pa.Table, eligible: Bool) -> dict[int, list[int]]:
    """The rows of the eligible candidates of each size, the best last."""
    rows = np.flatnonzero(eligible)
    order = candidates.take(pa.array(rows)).append_column("row", pa.array(rows))
    order = order.sort_by([("rank", "descending"), ("id", "descending")])
    queues: dict[int, list[int]] = {}
    for row, size in zip(order["row"].to_pylist(), _distinct(order).tolist(), strict=True):
        queues.setdefault(size, []).append(row)
    return queues


def _sizes(sets: pa.Table) -> list[tuple[str, int]]:
    return list(zip(sets["id"].to_pylist(), _distinct(sets).tolist(), strict=True))


def _distinct(sets: pa.Table) -> Int64:
    """How many distinct concepts each set has, shape (rows,): some published sets hold a concept twice."""
    return concept_sets(sets["concepts"]).sizes


def without_sets(sets: pa.Table, ids: Collection[str]) -> pa.Table:
    """Returns the sets whose ids are none of these."""
    return sets.filter(pc.invert(pc.is_in(sets["id"], value_set=text_array(ids))))


def _among(sets: pa.Table, ids: Column) -> pa.Table:
    return sets.filter(pc.is_in(sets["id"], value_set=one_array(ids)))


def _with_reason(sets: pa.Table, reason: str) -> pa.Table:
    return sets.append_column("reason", pa.repeat(pa.scalar(reason), len(sets)))
