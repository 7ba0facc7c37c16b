"""Which sentence is held out for which split: the small table by which every shard is divided."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.concept_sets import ConceptSets
from conceptloom.arrays.types import Int64, UInt64
from conceptloom.errors import BuildError
from conceptloom.splits.candidates import Candidates, set_priorities
from conceptloom.splits.policies import Policy
from conceptloom.splits.sizes import Stratum, allocate
from conceptloom.tables import read_ipc, to_ipc

DROPPED, TRAIN, VALIDATION, TEST = -1, 0, 1, 2
SPLIT_NAMES = {TRAIN: "train", VALIDATION: "validation", TEST: "test"}

ASSIGNMENT = pa.schema(
    [("id", pa.string()), ("set", pa.uint64()), ("split", pa.int8()), ("concepts", pa.list_(pa.uint64()))]
)
"""A held-out sentence, its set (hash), VALIDATION or TEST, and the hashes of its concepts."""


@dataclass(frozen=True)
class Assignment:
    """The held-out sentences (schema ASSIGNMENT), sorted by id. Memory: about 100 bytes each."""

    rows: pa.Table

    def sets(self) -> UInt64:
        """Returns the hash of each held-out set, shape (rows,)."""
        return np.asarray(self.rows["set"].to_numpy())

    def concepts(self) -> ConceptSets:
        """Returns the concept hashes of each held-out set."""
        return ConceptSets.from_arrow(self.rows["concepts"])

    def to_bytes(self) -> bytes:
        """Returns Arrow IPC bytes."""
        return to_ipc(self.rows)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Assignment":
        """The inverse of `to_bytes`."""
        return cls(read_ipc(data))


def assign(candidates: Candidates, validation: int, test: int, policy: Policy, seed: int) -> Assignment:
    """Returns the assignment of `test` and `validation` sets, each in proportion to the strata's sentences.

    Test chooses first, so that it does not change with the size of validation. Raises BuildError where the policy has
    too few eligible sets.
    """
    room = {stratum: supply.eligible for stratum, supply in candidates.strata.items()}
    weights = {stratum: supply.sentences for stratum, supply in candidates.strata.items()}
    _require(validation, test, sum(room.values()), policy)
    tests = allocate(test, weights, room)
    validations = allocate(validation, weights, {stratum: room[stratum] - tests[stratum] for stratum in room})
    chosen = [
        (row, split)
        for stratum, rows in _by_stratum(candidates.rows, seed).items()
        for row, split in zip(rows, [TEST] * tests[stratum] + [VALIDATION] * validations[stratum])
    ]
    return _assignment(candidates.rows, chosen)


def _require(validation: int, test: int, eligible: int, policy: Policy) -> None:
    for name, wanted, reached in (("test", test, eligible), ("validation", validation, max(0, eligible - test))):
        if wanted > reached:
            raise BuildError(
                f"policy {policy.name} can give {reached:,} {name} sets, {wanted:,} were asked for: "
                f"lower split.{name}, choose another split.policy, or give it more sentences"
            )


def _by_stratum(rows: pa.Table, seed: int) -> dict[Stratum, list[int]]:
    """The rows of each stratum, by seeded priority of their sets."""
    strata = list(zip(rows["source"].to_pylist(), rows["size"].to_pylist()))
    members = defaultdict[Stratum, list[int]](list)
    for row in np.argsort(set_priorities(rows["set"].to_numpy(), seed)).tolist():
        members[strata[row]].append(row)
    return members


def _assignment(rows: pa.Table, chosen: Iterable[tuple[int, int]]) -> Assignment:
    places, splits = np.array(list(chosen), dtype=np.int64).reshape(-1, 2).T
    taken = rows.take(pa.array(places))
    columns = [taken["id"], taken["set"], pa.array(splits.astype(np.int8)), taken["concepts"]]
    return Assignment(pa.table(columns, schema=ASSIGNMENT).sort_by("id").combine_chunks())


def held_out_rows(ids: pa.ChunkedArray, assignment: Assignment) -> Int64:
    """Returns the row of the assignment with each id, or -1; shape (len(ids),)."""
    places = pc.index_in(ids, value_set=assignment.rows["id"].combine_chunks())
    return np.asarray(pc.fill_null(places, -1).to_numpy(), dtype=np.int64)
