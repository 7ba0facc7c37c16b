"""Stage split as a PTransform."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import apache_beam as beam

from conceptloom import spill
from conceptloom.splits import Policy
from conceptloom.tables import Block
from conceptloom.tasks.korean_commongen.split import (
    Assign,
    DivideShard,
    FindCandidates,
    FindLonePairs,
    MarkSeen,
    SendSets,
    Summarise,
    held_rows,
)
from conceptloom.transforms.blocks import EachBucket, GroupBlocks, MapBlocks, Parts, Single
from conceptloom.transforms.receipts import CollectReceipts

Shards: TypeAlias = beam.PCollection[tuple[int, Iterable[bytes]]]


@dataclass(frozen=True)
class SplitPlan:
    """How a corpus is split: the policy and the numbers of held-out sets."""

    policy: Policy
    validation: int
    test: int
    stratify: bool
    seed: int


class Split(beam.PTransform):
    """Finds the sets that may be held out, chooses among them, splits every shard, and computes statistics.

    Sets and pairs are shuffled by their hashes; the choice is small, a side input of every shard.
    """

    def __init__(self, plan: SplitPlan, buckets: int, source_directory: str, directory: str) -> None:
        super().__init__()
        self._plan = plan
        self._buckets = buckets
        self._source = source_directory
        self._directory = directory

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection[str]:
        shards = begin | "Shards" >> EachBucket(self._buckets)
        assignment = self._assignment(shards)
        divide = DivideShard(self._plan.policy, self._source, self._directory)
        divided = shards | "Divide" >> MapBlocks(divide, assignment)
        # A separate PCollection, see EachBucket.
        again = begin | "Shards again" >> EachBucket(self._buckets)
        statistics = summary_of(again, divided["statistics"], self._directory)
        return (divided["receipts"], statistics) | "Receipts" >> CollectReceipts("split", self._directory)

    def _assignment(self, shards: Shards) -> beam.PCollection[bytes]:
        plan = self._plan
        sent = shards | "Send" >> MapBlocks(SendSets(plan.policy, plan.stratify, self._buckets, self._source))
        lone = sent["pairs"] | "By pair" >> GroupBlocks() | "Lone pairs" >> MapBlocks(FindLonePairs(self._buckets))
        find = FindCandidates(plan.policy, plan.validation + plan.test, plan.seed)
        by_set = (sent["sets"], lone["lone"]) | "Sets" >> beam.Flatten() | "By set" >> GroupBlocks()
        found = by_set | "Find" >> MapBlocks(find)
        choose = Assign(plan.policy, plan.validation, plan.test, plan.seed)
        return found["candidates"] | "Choose" >> Single(choose)


def summary_of(shards: Shards, divided: beam.PCollection[Block], directory: str) -> beam.PCollection[Block]:
    """Writes the statistics of a split corpus, combined from those of its shards; returns the receipts."""
    # The held-out rows are known when every shard is split: the second reading waits for this side input.
    held = (
        divided | "Held out" >> beam.FlatMap(_held_rows).with_output_types(tuple[int, bytes]) | "Held parts" >> Parts()
    )
    seen = shards | "Compare" >> MapBlocks(MarkSeen(directory), held)
    every = (divided, seen["statistics"]) | "Statistics" >> beam.Flatten() | "All statistics" >> GroupBlocks()
    return (every | "Summarise" >> MapBlocks(Summarise(directory), held))["receipts"]


def _held_rows(block: Block) -> Iterator[Block]:
    bucket, data = block
    return held_rows((bucket, spill.whole(data)))
