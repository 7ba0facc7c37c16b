"""Stage sample as a PTransform."""

import apache_beam as beam

from conceptloom.concepts import Quotas
from conceptloom.tasks.commongen.sample import Choose, DrawShard, LeaveOut, MergeDraws, MinedSets, WriteCandidates
from conceptloom.tasks.merging import levels
from conceptloom.transforms.blocks import EachBucket, MapBlocks, MergeInTree, Single
from conceptloom.transforms.receipts import CollectReceipts


class Sample(beam.PTransform):
    """Scores and draws sets in every shard, merges the draws in a tree, and writes the drawn sets and the others.

    The scores are computed twice, which is cheaper than storing them.
    """

    def __init__(self, mined: MinedSets, shards: int, size: int, quotas: Quotas, seed: int, directory: str) -> None:
        super().__init__()
        self._mined = mined
        self._shards = shards
        self._draw = DrawShard(mined, size, seed)
        self._merge = MergeDraws(size)
        self._choose = Choose(mined, size, quotas, seed)
        self._directory = directory

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection[str]:
        drawn = begin | "Shards" >> EachBucket(self._shards) | "Draw" >> MapBlocks(self._draw)
        # At least once: whatever the number of shards, one place that merges all gets at most TOGETHER samples.
        merged = drawn["drawn"] | "Merge draws" >> MergeInTree(self._merge, max(1, levels(self._shards)))
        chosen = merged | "Choose" >> Single(self._choose)
        # A separate PCollection, see EachBucket.
        again = begin | "Shards again" >> EachBucket(self._shards)
        left_out = again | "Leave out" >> MapBlocks(LeaveOut(self._mined, self._directory), chosen)
        once = begin | "Once" >> EachBucket(1)
        written = once | "Write" >> MapBlocks(WriteCandidates(self._directory), chosen)
        receipts = (left_out["receipts"], written["receipts"])
        return receipts | "Receipts" >> CollectReceipts("sample", self._directory)
