"""Stage split as a PTransform."""

from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from conceptloom.splits import Policy
from conceptloom.tasks.korean_commongen.split import (
    Assign,
    DivideShard,
    FindCandidates,
    FindLonePairs,
    MarkSeen,
    SendSets,
    Summarise,
    merge_held,
)
from conceptloom.transforms.blocks import EachBucket, GroupBlocks, MapBlocks, Single
from conceptloom.transforms.receipts import CollectReceipts


@dataclass(frozen=True)
class SplitPlan:
    """How a corpus is split: the policy, and how many sets are held out."""

    policy: Policy
    validation: int
    test: int
    stratify: bool
    seed: int


class Split(beam.PTransform):
    """Finds what may be held out, chooses, divides every shard by the choice, and counts what came out.

    Sets and pairs are shuffled by their hashes; the choice is small and goes to every shard as a side input.
    """

    def __init__(self, plan: SplitPlan, buckets: int, source_directory: str, directory: str) -> None:
        super().__init__()
        self._plan = plan
        self._buckets = buckets
        self._source = source_directory
        self._directory = directory

    def expand(self, begin: Any) -> beam.PCollection[str]:
        shards = begin | "Shards" >> EachBucket(self._buckets)
        assignment = self._assignment(shards)
        divide = DivideShard(self._plan.policy, self._source, self._directory)
        divided = shards | "Divide" >> MapBlocks(divide, assignment)
        # A PCollection of its own, see EachBucket.
        again = begin | "Shards again" >> EachBucket(self._buckets)
        statistics = summary_of(again, divided["statistics"], self._directory)
        return (divided["receipts"], statistics) | "Receipts" >> CollectReceipts("split", self._directory)

    def _assignment(self, shards: beam.PCollection[Any]) -> beam.PCollection[bytes]:
        plan = self._plan
        sent = shards | "Send" >> MapBlocks(SendSets(plan.policy, plan.stratify, self._buckets, self._source))
        lone = sent["pairs"] | "By pair" >> GroupBlocks() | "Lone pairs" >> MapBlocks(FindLonePairs(self._buckets))
        find = FindCandidates(plan.policy, plan.validation + plan.test, plan.seed)
        by_set = (sent["sets"], lone["lone"]) | "Sets" >> beam.Flatten() | "By set" >> GroupBlocks()
        found = by_set | "Find" >> MapBlocks(find)
        choose = Assign(plan.policy, plan.validation, plan.test, plan.seed)
        return found["candidates"] | "Choose" >> Single(choose)


def summary_of(shards: Any, divided: beam.PCollection[Any], directory: str) -> beam.PCollection[Any]:
    """Writes the statistics of a divided corpus, from what the tasks that divided it say; answers their receipt."""
    # The held-out rows are known when every shard is divided: this side input is what the second reading waits for.
    held = divided | "Held out" >> Single(merge_held)
    seen = shards | "Compare" >> MapBlocks(MarkSeen(directory), held)
    every = (divided, seen["statistics"]) | "Statistics" >> beam.Flatten() | "All statistics" >> GroupBlocks()
    return (every | "Summarise" >> MapBlocks(Summarise(directory), held))["receipts"]
