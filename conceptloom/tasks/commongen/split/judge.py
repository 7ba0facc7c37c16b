"""Stage split of concept sets: which candidates are dropped from train (CommonGen, section 3.5)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.arrays.concept_sets import concept_sets, found_in, set_hashes
from conceptloom.arrays.runs import distinct
from conceptloom.arrays.types import Bool
from conceptloom.splits import SPLIT_NAMES
from conceptloom.splits.overlap import shared_with
from conceptloom.splits.policies import HELD_OUT
from conceptloom.splits.shared import shared_concepts, shared_pairs
from conceptloom.splits.train_sets import DEV_CONCEPTS, DEV_PAIR, TEST_CONCEPTS, TEST_PAIR, Held, Preprint, TrainPolicy
from conceptloom.tables import read_ipc, to_ipc
from conceptloom.tasks.base import Output
from conceptloom.tasks.commongen.sample import CANDIDATES, SETS
from conceptloom.tasks.shards import read_shard

JUDGED = pa.schema([*CANDIDATES, pa.field("reason", pa.string()), pa.field("detail", pa.string())])
"""A candidate and why it is dropped; both texts are empty if it is kept."""

TRAIN, DEV, TEST = SPLIT_NAMES.values()


@dataclass(frozen=True)
class Judge:
    """Decides which candidates are dropped from train. Memory: the candidates."""

    policy: TrainPolicy
    source: str
    outputs: ClassVar[tuple[str, ...]] = ("judged",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields rows of schema JUDGED, by id; `side` has dev and test if they are frozen."""
        table = read_shard(storage.join(self.source, SETS))
        yield Output("judged", 0, to_ipc(judged(table, self.policy, None if side is None else read_ipc(side))))


def judged(candidates: pa.Table, policy: TrainPolicy, frozen: pa.Table | None = None) -> pa.Table:
    """Returns the candidates (schema CANDIDATES, in their order) with the policy's verdicts, schema JUDGED.

    `frozen` (`concepts` and `split`) are dev and test of an earlier build. Then all candidates are for train, and those
    that are in dev or test are dropped first (`held_out`).
    """
    held = candidates if frozen is None else frozen
    parts = {name: held.filter(pc.equal(held["split"], name)) for name in (DEV, TEST)}
    reasons, details = (np.full(len(candidates), "", dtype=object) for _ in range(2))
    for name, part in parts.items() if frozen is not None else ():
        same = found_in(distinct(set_hashes(concept_sets(part["concepts"]))), candidates["set"].to_numpy())
        reasons[same], details[same] = HELD_OUT, name
    own = np.flatnonzero((reasons == "") & _is_train(candidates))
    train = candidates.take(pa.array(own))
    verdict = policy.judge(
        concept_sets(train["concepts"]), Held(*(concept_sets(part["concepts"]) for part in parts.values()))
    )
    reasons[own] = np.array([*verdict.dropped, ""], dtype=object)[verdict.reasons]
    for reason in verdict.dropped:
        rows = np.flatnonzero(reasons == reason)
        details[rows] = list(_details(reason, policy, candidates.take(pa.array(rows)), parts))
    return pa.table([*candidates.columns, *(pa.array(each, pa.string()) for each in (reasons, details))], schema=JUDGED)


def _is_train(candidates: pa.Table) -> Bool:
    return np.asarray(pc.equal(candidates["split"], TRAIN).to_numpy(), dtype=np.bool_)


def _details(reason: str, policy: TrainPolicy, dropped: pa.Table, parts: dict[str, pa.Table]) -> Iterator[str]:
    held = parts[TEST if reason in (TEST_PAIR, TEST_CONCEPTS) else DEV]["concepts"]
    concepts = dropped["concepts"].to_pylist()
    if reason in (TEST_PAIR, DEV_PAIR):
        return shared_pairs(concepts, held.to_pylist())
    assert reason in (TEST_CONCEPTS, DEV_CONCEPTS) and isinstance(policy, Preprint)
    nearest = shared_with(concept_sets(dropped["concepts"]), concept_sets(held), policy.max_shared)
    return shared_concepts(concepts, held.take(pa.array(nearest)).to_pylist())


def of_splits(judged_sets: pa.Table, *splits: str) -> pa.Table:
    """Returns the candidates of some splits that were not dropped."""
    wanted = pc.is_in(judged_sets["split"], value_set=pa.array(splits))
    return judged_sets.filter(pc.and_(wanted, pc.equal(judged_sets["reason"], "")))
