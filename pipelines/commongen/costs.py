"""What the costs of the recipe `commongen` grow with: captions, the concept sets in them, and the candidates drawn.

A caption holds some dozens of concept sets, most of which stand in no other caption: so they are what grows, and the
candidates are as many as the settings say.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from conceptloom.corpus.captions import CaptionAnalyser
from conceptloom.corpus.units import Unit
from conceptloom.estimation.fits import by_power
from conceptloom.estimation.growth import Counts, Growth
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.commongen.counts import SetCounts, count_sets, routed, units_of_sets
from conceptloom.pipelines.commongen.settings import CommonGenSettings
from conceptloom.pipelines.estimation.model import Drawn, Rows, SampleRun, Samples, SecondStep, fewer
from conceptloom.tasks.commongen.sample import TOGETHER


@dataclass(frozen=True)
class CommonGenCosts:
    """See CostModel. `shards` answers how many shards of lead concepts so many captions have."""

    shards: Callable[[float], int]

    unit: ClassVar[Unit] = CaptionAnalyser.unit
    grows_with: ClassVar[Mapping[str, str]] = {
        "ingest": "read",
        "mine": "kept",
        "sample": "sets",
        "split": "candidates",
        "publish": "references",
        "ingest/held": "bucket_captions",
        "ingest/cpu/AnalyseBucket": "kept",
        "ingest/cpu/ReadVocabulary": "one",
        "ingest/shuffled/side": "one",
        "ingest/written/sentences": "kept",
        "ingest/written/rejected": "left_out",
        "ingest/written/vocabulary": "one",
        "mine/held": "shard_sets",
        "mine/cpu/CodeShard": "routed",
        "mine/cpu/MineShard": "occurrences",
        "mine/shuffled/routed": "routed",
        "mine/shuffled/degrees": "degrees",
        "mine/written/mined": "sets",
        "mine/written/terms": "terms",
        "sample/held": "shard_sets",
        "sample/cpu/MergeDraws": "drawn",
        "sample/cpu/WriteCandidates": "candidates",
        "sample/shuffled/drawn": "drawn",
        "sample/shuffled/samples": "merged",
        "sample/written/sets": "candidates",
        "sample/written/rejected": "not_drawn",
        "split/held": "bucket_holders",
        "split/bytes": "kept",
        "split/cpu/FindHeld": "kept",
        "split/cpu/FindTrain": "holders",
        "split/cpu/GatherSets": "references",
        "split/shuffled/references": "references",
        "split/written/sets": "references",
        "split/written/rejected": "dropped",
        "publish/held": "references",
        "publish/bytes": "not_drawn",
        "publish/written/annotation": "candidates",
        "publish/written/index": "candidates",
        "publish/written/rejected": "not_drawn",
    }
    reads: ClassVar[Mapping[str, str]] = {"sample": "sets"}
    keeps: ClassVar[Mapping[str, str]] = {
        "ingest": "kept",
        "mine": "mined",
        "sample": "candidates",
        "split": "divided",
        "publish": "divided",
    }
    units: ClassVar[Mapping[str, str]] = dict.fromkeys(("sample", "split", "publish"), "concept sets")
    alone: ClassVar[AbstractSet[str]] = frozenset(
        {"ReadVocabulary", "WriteTerms", "MergeDraws", "WriteCandidates", "TakeFrozenSets", "Judge", "SummariseSets"}
    )
    tasks: ClassVar[Sequence[str]] = (
        "conceptloom.tasks.ingest",
        "conceptloom.tasks.commongen.mine",
        "conceptloom.tasks.commongen.sample",
        "conceptloom.tasks.commongen.split.gather",
        "conceptloom.tasks.commongen.frozen",
        "conceptloom.tasks.commongen.publish",
    )

    def smaller(self, settings: CommonGenSettings, share: float) -> CommonGenSettings:
        """See CostModel: candidates, and numbers of dev and test sets, in proportion."""
        size = max(1, round(settings.sample.size * share))
        quotas = {
            split: {size: fewer(amount, share) for size, amount in getattr(settings.quotas, split).items()}
            for split in ("dev", "test")
        }
        parts = {
            "sample": settings.sample.model_copy(update={"size": size}),
            "quotas": settings.quotas.model_copy(update=quotas),
        }
        return settings.model_copy(update={"limit": None, **parts})

    def count(self, context: Context[CommonGenSettings]) -> SetCounts:
        """See CostModel."""
        return count_sets(context)

    def look(self, context: Context[CommonGenSettings], drawn: Drawn) -> Counts:
        """See CostModel: in how many of the drawn units each of some concept sets stands."""
        return units_of_sets(context, drawn)

    def rows(self, samples: Samples) -> list[Rows]:
        """See CostModel."""
        measured = [_measured(run) for run in samples.runs]
        return [_rows(sizes) for sizes in (*measured, _Growth(samples, measured, self.shards).whole())]

    def second_step(self, samples: Samples, flow: str) -> SecondStep:
        """See CostModel: all rows go straight to their buckets."""
        return SecondStep()


class _Sizes(NamedTuple):
    """What a sample or the whole has."""

    read: float
    kept: float
    mined: float
    sets: float
    candidates: float
    divided: float
    buckets: int
    more: SetCounts


_COUNTED = (("ingest", "read"), ("ingest", "kept"), ("mine", "kept"), ("sample", "read"), ("sample", "kept"))


def _measured(run: SampleRun) -> _Sizes:
    read, kept, mined, sets, candidates = (float(getattr(run.stages[stage], what)) for stage, what in _COUNTED)
    return _Sizes(read, kept, mined, sets, candidates, float(run.stages["split"].kept), run.buckets, run.counts)


def _rows(sizes: _Sizes) -> Rows:
    more = sizes.more
    return {
        **{name: float(value) for name, value in sizes._asdict().items() if name != "more"},
        **{name: float(value) for name, value in more._asdict().items() if name != "leads"},
        "one": 1.0,
        "left_out": sizes.read - sizes.kept,
        "routed": routed(more.leads, more.shards),
        "degrees": more.shards * more.terms,
        "not_drawn": sizes.sets - sizes.candidates,
        "dropped": sizes.candidates - sizes.divided,
        "bucket_captions": sizes.read / sizes.buckets,
        "shard_sets": sizes.sets / more.shards,
        "bucket_holders": more.holders / sizes.buckets,
    }


@dataclass(frozen=True)
class _Growth:
    """From what the nested samples have to what the whole has."""

    samples: Samples
    measured: Sequence[_Sizes]
    shards: Callable[[float], int]

    def whole(self) -> _Sizes:
        """The counts of the whole."""
        last, kept = self.measured[-1], self.samples.kept()
        sets = self._sets()
        candidates = min(float(self.samples.settings.sample.size), sets)
        # Held-out sets are more in proportion, and train's more varied: as many of these give way.
        divided = candidates * last.divided / last.candidates
        more = self._more(sets, candidates, divided * last.more.train / last.divided)
        mined = last.mined * kept / last.kept
        return _Sizes(self.samples.read(), kept, mined, sets, candidates, divided, self.samples.buckets, more)

    def _on(self, value: Callable[[_Sizes], float]) -> float:
        """A number of each sample, gone on by its power of the captions kept."""
        return by_power([one.kept for one in self.measured], [*map(value, self.measured)], self.samples.kept())

    def _sets(self) -> float:
        if self._passing_over():
            return self._on(lambda one: one.sets)
        grown = Growth.of(self.samples.seen)
        return self.measured[-1].sets * grown.distinct(self.samples.times) / grown.seen

    def _occurrences(self) -> float:
        if self._passing_over():
            return self._on(lambda one: one.more.occurrences)
        return self.measured[-1].more.occurrences * self.samples.kept() / self.measured[-1].kept

    def _passing_over(self) -> bool:
        # What several captions must hold has grown from sets of one caption, which are not there to be counted.
        return bool(self.samples.settings.mine.min_support > 1)

    def _more(self, sets: float, candidates: float, train: float) -> SetCounts:
        kept, size = self.samples.kept(), self.samples.settings.sample.size
        more, shards = self.measured[-1].more, self.shards(kept)
        times = kept / self.measured[-1].kept
        # A set has one caption; further ones come as captions do, but new sets come as well.
        further = self._on(lambda one: one.more.references / one.more.train - 1)
        return SetCounts(
            self._occurrences(),
            more.leads * times,
            self._on(lambda one: one.more.terms),
            min(sets, float(shards * size)),
            min(sets, float(-(-shards // TOGETHER) * size)),
            candidates * self._on(lambda one: one.more.holders / one.candidates),
            train,
            train * (1 + further),
            shards,
        )
