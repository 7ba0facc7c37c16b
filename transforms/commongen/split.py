"""Stage split of concept sets as a PTransform."""

from typing import Any

import apache_beam as beam

from conceptloom.splits.train_sets import TrainPolicy
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


class Divide(beam.PTransform):
    """Judges the candidates, finds the sentences of dev and test, then those of train, and makes rows of them.

    The candidates are few, however large the corpus: they go to every shard of sentences, and no sentence is shuffled
    but those that are chosen. The shards are read twice, as train may not have what dev and test chose; with `take`,
    where dev and test are those of an earlier build, once.
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

    def expand(self, begin: Any) -> beam.PCollection[str]:
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

    def _known(self, begin: Any, taken: Any) -> beam.PCollection[bytes]:
        """The candidates with the references of dev and test, for every shard."""
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

    def _chosen(self, begin: Any, judged: beam.PCollection[Any]) -> beam.PCollection[bytes]:
        """The references of dev and test, found among the sentences."""
        sets = judged | "Candidates" >> Single(b"".join)
        shards = begin | "Shards" >> EachBucket(self._buckets)
        held = shards | "Find held" >> MapBlocks(FindHeld(self._stages, self._references), sets)
        return held["held"] | "Merge held" >> Single(MergeHeld(self._references))
