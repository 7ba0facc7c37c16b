"""Stage split as a PTransform, where validation and test are those of an earlier build."""

from typing import Any

import apache_beam as beam

from conceptloom.splits import Policy
from conceptloom.tasks.korean_commongen.frozen import CountHolders, DivideProtected, Protect, SumHolders, TakeFrozen
from conceptloom.transforms.blocks import EachBucket, GroupBlocks, MapBlocks, Single
from conceptloom.transforms.korean_commongen.split import summary_of
from conceptloom.transforms.receipts import CollectReceipts

_SUMS = 64
"""Most buckets of pairs: the counts of 100,000 held-out sets are small, and every shard sends some to each bucket."""


class SplitAgainstFrozen(beam.PTransform):
    """Copies the frozen files, chooses which of their pairs train must not show, divides every shard, and counts.

    Where the policy promises pairs, the shards are read once more to count what the promise costs.
    """

    def __init__(self, policy: Policy, take: TakeFrozen, buckets: int, source_directory: str, directory: str) -> None:
        super().__init__()
        self._policy = policy
        self._take = take
        self._buckets = buckets
        self._source = source_directory
        self._directory = directory

    def expand(self, begin: Any) -> beam.PCollection[str]:
        taken = begin | "Frozen" >> EachBucket(1) | "Take" >> MapBlocks(self._take)
        protection = self._protection(begin, taken["held"])
        shards = begin | "Shards" >> EachBucket(self._buckets)
        divide = DivideProtected(self._policy, self._source, self._directory)
        divided = shards | "Divide" >> MapBlocks(divide, protection)
        # A PCollection of its own, see EachBucket.
        again = begin | "Shards again" >> EachBucket(self._buckets)
        every = (divided["statistics"], taken["statistics"]) | "Train and frozen" >> beam.Flatten()
        statistics = summary_of(again, every, self._directory)
        receipts = (taken["receipts"], divided["receipts"], statistics)
        return receipts | "Receipts" >> CollectReceipts("split", self._directory)

    def _protection(self, begin: Any, held: beam.PCollection[Any]) -> beam.PCollection[bytes]:
        choose = Protect(self._policy)
        known = held | "Known" >> Single(choose)
        if not self._policy.min_pairs:
            return known
        count = CountHolders(self._policy, min(self._buckets, _SUMS), self._source)
        counted = begin | "Shards to count" >> EachBucket(self._buckets) | "Count pairs" >> MapBlocks(count, known)
        summed = counted["holders"] | "By pair" >> GroupBlocks() | "Sum" >> MapBlocks(SumHolders())
        return (held, summed["holders"]) | "Held and holders" >> beam.Flatten() | "Choose" >> Single(choose)
