"""Stage sample as a PTransform."""

import apache_beam as beam

from conceptloom.concepts import Draws, Quotas
from conceptloom.tables import Block
from conceptloom.tasks.commongen.sample import (
    Choose,
    DrawShard,
    LastArrival,
    LeaveOut,
    MergeDraws,
    MinedSets,
    WriteCandidates,
    shards_ahead,
)
from conceptloom.tasks.merging import levels
from conceptloom.transforms.blocks import EachBucket, MapBlocks, MergeInTree, Single
from conceptloom.transforms.receipts import CollectReceipts


class Sample(beam.PTransform):
    """Scores and draws sets in every shard, merges the draws in a tree, and writes the drawn sets and the others.

    The scores are computed twice, which is cheaper than storing them.
    """

    def __init__(self, mined: MinedSets, shards: int, draws: Draws, quotas: Quotas, directory: str) -> None:
        super().__init__()
        self._mined = mined
        self._shards = shards
        self._last = LastArrival(draws)
        self._draw = DrawShard(mined, draws)
        self._merge = MergeDraws(draws)
        self._choose = Choose(mined, draws, quotas)
        self._directory = directory

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection[str]:
        drawn = self._drawn(begin)
        # At least once: whatever the number of shards, one place that merges all gets at most TOGETHER samples.
        merged = drawn | "Merge draws" >> MergeInTree(self._merge, max(1, levels(self._shards)))
        chosen = merged | "Choose" >> Single(self._choose)
        # A separate PCollection, see EachBucket.
        again = begin | "Shards again" >> EachBucket(self._shards)
        left_out = again | "Leave out" >> MapBlocks(LeaveOut(self._mined, self._directory), chosen)
        once = begin | "Once" >> EachBucket(1)
        written = once | "Write" >> MapBlocks(WriteCandidates(self._directory), chosen)
        receipts = (left_out["receipts"], written["receipts"])
        return receipts | "Receipts" >> CollectReceipts("sample", self._directory)

    def _drawn(self, begin: beam.pvalue.PBegin) -> beam.PCollection[Block]:
        """Returns the draws of all shards: if they are many, of some shards first, and of the others what it leaves."""
        ahead = shards_ahead(self._shards)
        drawn = (begin | "Shards" >> EachBucket(ahead) | "Draw" >> MapBlocks(self._draw))["drawn"]
        if ahead == self._shards:
            return drawn
        few = drawn | "Merge first draws" >> MergeInTree(self._merge, levels(ahead))
        last = few | "Last arrival" >> Single(self._last)
        others = begin | "Other shards" >> EachBucket(self._shards, ahead)
        more = (others | "Draw others" >> MapBlocks(self._draw, last))["drawn"]
        return (drawn, more) | "All draws" >> beam.Flatten()
