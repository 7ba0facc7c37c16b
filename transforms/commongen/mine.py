"""Stage mine as a PTransform."""

import apache_beam as beam

from conceptloom.concepts import MiningRules
from conceptloom.tasks.commongen.mine import (
    AddDegrees,
    AddTerms,
    CodeShard,
    CountTerms,
    MineShard,
    WriteTerms,
    merge_terms,
)
from conceptloom.tasks.merging import levels
from conceptloom.transforms.blocks import EachBucket, GroupBlocks, GroupEveryBucket, MapBlocks, MergeInTree, Single
from conceptloom.transforms.receipts import CollectReceipts


class Mine(beam.PTransform):
    """Numbers the terms, sends each sentence to the shards of its possible lead concepts, and mines each shard.

    There is one shuffle, of about three copies of each sentence; its concept sets would be dozens of elements.
    """

    def __init__(self, rules: MiningRules, buckets: int, shards: int, source_directory: str, directory: str) -> None:
        super().__init__()
        self._rules = rules
        self._buckets = buckets
        self._shards = shards
        self._source = source_directory
        self._directory = directory

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection[str]:
        counted = (
            begin | "Shards" >> EachBucket(self._buckets) | "Count" >> MapBlocks(CountTerms(self._rules, self._source))
        )
        added = counted["terms"] | "Add terms" >> MergeInTree(AddTerms(), levels(self._buckets))
        terms = added | "Terms" >> Single(merge_terms)
        # A separate PCollection, see EachBucket.
        again = begin | "Shards again" >> EachBucket(self._buckets)
        code = CodeShard(self._rules, self._shards, self._source, self._directory)
        coded = again | "Code" >> MapBlocks(code, terms)
        routed = coded["routed"] | "By lead" >> GroupEveryBucket(self._shards)
        mined = routed | "Mine" >> MapBlocks(MineShard(self._rules, self._shards, self._directory))
        summed = mined["degrees"] | "Add degrees" >> MergeInTree(AddDegrees(), levels(self._shards))
        degrees = summed | "All degrees" >> GroupBlocks()
        written = degrees | "Degrees" >> MapBlocks(WriteTerms(self._directory), terms)
        receipts = (coded["receipts"], mined["receipts"], written["receipts"])
        return receipts | "Receipts" >> CollectReceipts("mine", self._directory)
