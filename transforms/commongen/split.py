"""Stage split of the recipe `commongen` as a PTransform."""

import apache_beam as beam

from conceptloom.splits.train_sets import TrainPolicy
from conceptloom.tables import Block
from conceptloom.tasks.commongen.frozen import TakeFrozenSets
from conceptloom.tasks.commongen.split.gather import GatherSets, SummariseSets
from conceptloom.tasks.commongen.split.judge import Judge
from conceptloom.tasks.commongen.split.references import (
    FindHeld,
    FindTrain,
    MergeHeld,
    Stages,
    join_known,
    mark_held,
    mark_judged,
)
from conceptloom.transforms.blocks import EachBucket, GroupBlocks, GroupEveryBucket, MapBlocks, Single
from conceptloom.transforms.receipts import CollectReceipts


class SplitSets(beam.PTransform):
    """Assigns the candidates to splits, finds the sentences of dev and test, then those of train, and writes the rows.

    The candidates are few, however large the corpus: they go to every shard of sentences as a side input, and only
    chosen sentences are shuffled. The shards are read twice, because train excludes the sentences chosen for dev and
    test; with `take`, which copies dev and test from an earlier build, they are read once.
    """

    def __init__(
        self,
        policy: TrainPolicy,
        references: int,
        buckets: int,
        seed: int,
        candidates: str,
        stages: Stages,
        directory: str,
        take: TakeFrozenSets | None = None,
    ) -> None:
        super().__init__()
        self._judge = Judge(policy, candidates)
        self._references = references
        self._buckets = buckets
        self._stages = stages
        self._gather = GatherSets(buckets, seed, directory)
        self._directory = directory
        self._take = take

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection[str]:
        taken = None
        if self._take is not None:
            taken = begin | "Frozen" >> EachBucket(1) | "Take" >> MapBlocks(self._take)
        everything = self._known(begin, taken)
        find = FindTrain(self._stages, self._buckets)
        found = begin | "Shards again" >> EachBucket(self._buckets) | "Find train" >> MapBlocks(find, everything)
        grouped = found["references"] | "By set" >> GroupEveryBucket(self._buckets)
        gathered = grouped | "Gather" >> MapBlocks(self._gather, everything)
        parts = [gathered] if taken is None else [gathered, taken]
        counted = tuple(part["statistics"] for part in parts) | "Train and held" >> beam.Flatten()
        summary = counted | "All statistics" >> GroupBlocks() | "Summarise" >> MapBlocks(SummariseSets(self._directory))
        receipts = tuple(part["receipts"] for part in [*parts, summary])
        return receipts | "Receipts" >> CollectReceipts("split", self._directory)

    def _known(self, begin: beam.pvalue.PBegin, taken: beam.pvalue.DoOutputsTuple | None) -> beam.PCollection[bytes]:
        """Returns the candidates and the references of dev and test: the side input of every shard."""
        once = begin | "Once" >> EachBucket(1)
        if taken is None:
            judged = (once | "Judge" >> MapBlocks(self._judge))["judged"]
            merged = self._chosen(begin, judged)
        else:
            frozen = taken["held"] | "Frozen sets" >> Single(b"".join)
            judged = (once | "Judge" >> MapBlocks(self._judge, frozen))["judged"]
            merged = taken["references"] | "Frozen references" >> Single(b"".join)
        marked = (
            judged | "Mark judged" >> beam.Map(mark_judged).with_output_types(tuple[int, bytes]),
            merged | "Mark held" >> beam.Map(mark_held).with_output_types(tuple[int, bytes]),
        )
        return marked | "Both" >> beam.Flatten() | "Known" >> Single(join_known)

    def _chosen(self, begin: beam.pvalue.PBegin, judged: beam.PCollection[Block]) -> beam.PCollection[bytes]:
        """Returns the references of dev and test, found among the sentences."""
        sets = judged | "Candidates" >> Single(b"".join)
        shards = begin | "Shards" >> EachBucket(self._buckets)
        held = shards | "Find held" >> MapBlocks(FindHeld(self._stages, self._references), sets)
        return held["held"] | "Merge held" >> Single(MergeHeld(self._references))
