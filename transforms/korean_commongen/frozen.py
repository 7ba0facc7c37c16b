"""Stage split as a PTransform, with validation and test frozen from an earlier build."""

import apache_beam as beam

from conceptloom.splits import Policy
from conceptloom.tables import Block
from conceptloom.tasks.korean_commongen.frozen import CountHolders, DivideProtected, Protect, SumHolders, TakeFrozen
from conceptloom.transforms.blocks import EachBucket, GroupBlocks, MapBlocks, Single
from conceptloom.transforms.korean_commongen.split import summary_of
from conceptloom.transforms.receipts import CollectReceipts

_SUMS = 64
"""The maximum number of buckets of pairs: every shard sends blocks to each, and 100,000 held-out sets are few."""


class SplitAgainstFrozen(beam.PTransform):
    """Copies the frozen files, chooses the pairs that train must not contain, splits the shards, computes statistics.

    If the policy requires unseen pairs, the shards are read once more to count the cost of each.
    """

    def __init__(self, policy: Policy, take: TakeFrozen, buckets: int, source_directory: str, directory: str) -> None:
        super().__init__()
        self._policy = policy
        self._take = take
        self._buckets = buckets
        self._source = source_directory
        self._directory = directory

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection[str]:
        taken = begin | "Frozen" >> EachBucket(1) | "Take" >> MapBlocks(self._take)
        protection = self._protection(begin, taken["held"])
        shards = begin | "Shards" >> EachBucket(self._buckets)
        divide = DivideProtected(self._policy, self._source, self._directory)
        divided = shards | "Divide" >> MapBlocks(divide, protection)
        # A separate PCollection, see EachBucket.
        again = begin | "Shards again" >> EachBucket(self._buckets)
        every = (divided["statistics"], taken["statistics"]) | "Train and frozen" >> beam.Flatten()
        statistics = summary_of(again, every, self._directory)
        receipts = (taken["receipts"], divided["receipts"], statistics)
        return receipts | "Receipts" >> CollectReceipts("split", self._directory)

    def _protection(self, begin: beam.pvalue.PBegin, held: beam.PCollection[Block]) -> beam.PCollection[bytes]:
        choose = Protect(self._policy)
        known = held | "Known" >> Single(choose)
        if not self._policy.min_pairs:
            return known
        count = CountHolders(self._policy, min(self._buckets, _SUMS), self._source)
        counted = begin | "Shards to count" >> EachBucket(self._buckets) | "Count pairs" >> MapBlocks(count, known)
        summed = counted["holders"] | "By pair" >> GroupBlocks() | "Sum" >> MapBlocks(SumHolders())
        return (held, summed["holders"]) | "Held and holders" >> beam.Flatten() | "Choose" >> Single(choose)
