"""Stage split of the recipe `commongen` as a PTransform."""

from typing import NamedTuple

import apache_beam as beam

from conceptloom.splits.train_sets import TrainPolicy
from conceptloom.tasks.commongen.frozen import TakeFrozenSets
from conceptloom.tasks.commongen.split.allot import SPARE, Allot
from conceptloom.tasks.commongen.split.gather import GatherSets, SummariseSets
from conceptloom.tasks.commongen.split.judge import Judge
from conceptloom.tasks.commongen.split.references import FindHeld, MergeHeld, Stages
from conceptloom.tasks.commongen.split.train import CountHot, CutHot, FindTrain
from conceptloom.tasks.merging import levels
from conceptloom.transforms.blocks import (
    EachBucket,
    GroupBlocks,
    GroupEveryBucket,
    MapBlocks,
    MergeInTree,
    Parts,
    Single,
)
from conceptloom.transforms.receipts import CollectReceipts


class SplitPlan(NamedTuple):
    """How sets are split."""

    policy: TrainPolicy
    references: int
    """How many sentences a set of dev or test gets."""
    test_first: bool
    """Whether dev gets only what no set of test could have."""
    train_references: int
    """How many a set of train gets at most."""
    hot: bool
    """Whether any candidate may have more."""
    seed: int


class SplitSets(beam.PTransform):
    """Assigns the candidates to splits, finds the sentences of dev and test, then those of train, and writes the rows.

    The candidates are few, however large the corpus: they go to every shard of sentences as a side input, and only
    chosen sentences are shuffled. The shards are read twice, because train excludes the sentences chosen for dev and
    test; with `take`, which copies dev and test from an earlier build, they are read once. They are read once more if
    there are sets with more sentences than train may have of one.
    """

    def __init__(
        self,
        plan: SplitPlan,
        buckets: int,
        candidates: str,
        stages: Stages,
        directory: str,
        take: TakeFrozenSets | None = None,
    ) -> None:
        super().__init__()
        self._plan = plan
        self._judge = Judge(plan.policy, candidates)
        self._buckets = buckets
        self._stages = stages
        self._gather = GatherSets(buckets, plan.seed, directory)
        self._directory = directory
        self._take = take

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection[str]:
        taken = None
        if self._take is not None:
            taken = begin | "Frozen" >> EachBucket(1) | "Take" >> MapBlocks(self._take)
        known = self._known(begin, taken)
        everything, cut = self._cut(begin, known) if self._plan.hot else (known, [])
        find = FindTrain(self._stages, self._buckets, self._directory)
        found = begin | "Shards again" >> EachBucket(self._buckets) | "Find train" >> MapBlocks(find, everything)
        grouped = found["references"] | "By set" >> GroupEveryBucket(self._buckets)
        gathered = grouped | "Gather" >> MapBlocks(self._gather, known)
        parts = [gathered, *([] if taken is None else [taken])]
        counted = tuple(part["statistics"] for part in parts) | "Train and held" >> beam.Flatten()
        summary = counted | "All statistics" >> GroupBlocks() | "Summarise" >> MapBlocks(SummariseSets(self._directory))
        receipts = tuple(part["receipts"] for part in [*parts, *cut, found, summary])
        return receipts | "Receipts" >> CollectReceipts("split", self._directory)

    def _known(self, begin: beam.pvalue.PBegin, taken: beam.pvalue.DoOutputsTuple | None) -> beam.PCollection[bytes]:
        """Returns the candidates and the references of dev and test, in parts: the side input of every shard."""
        once = begin | "Once" >> EachBucket(1)
        if taken is None:
            judged = (once | "Judge" >> MapBlocks(self._judge))["judged"] | "Candidates" >> Parts()
            held = self._chosen(begin, judged)
        else:
            frozen = taken["held"] | "Frozen sets" >> Parts()
            judged = (once | "Judge" >> MapBlocks(self._judge, frozen))["judged"] | "Candidates" >> Parts()
            held = taken["references"] | "Frozen references" >> Parts()
        return (judged, held) | "Known" >> beam.Flatten()

    def _chosen(self, begin: beam.pvalue.PBegin, judged: beam.PCollection[bytes]) -> beam.PCollection[bytes]:
        """Returns the references of dev and test, found among the sentences, in parts."""
        shards = begin | "Shards" >> EachBucket(self._buckets)
        most = self._plan.references * SPARE
        held = shards | "Find held" >> MapBlocks(FindHeld(self._stages, most, self._plan.test_first), judged)
        some = held["held"] | "Merge some" >> MergeInTree(MergeHeld(most), levels(self._buckets))
        return some | "Allot" >> Single(Allot(self._plan.references))

    def _cut(
        self, begin: beam.pvalue.PBegin, known: beam.PCollection[bytes]
    ) -> tuple[beam.PCollection[bytes], list[beam.pvalue.DoOutputsTuple]]:
        """Returns what is known with where sets of train are cut, and the outputs that have the receipts of it."""
        most = self._plan.train_references
        count = CountHot(self._stages, self._buckets, most)
        counts = begin | "Shards to count" >> EachBucket(self._buckets) | "Count hot" >> MapBlocks(count, known)
        cut = counts["counts"] | "Counts by set" >> GroupBlocks() | "Cut hot" >> MapBlocks(CutHot(most))
        return (known, cut["cuts"] | "Cuts" >> Parts()) | "With cuts" >> beam.Flatten(), [cut]
