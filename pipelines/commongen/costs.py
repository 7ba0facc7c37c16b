"""The cost model of the recipe `commongen`: costs grow with captions, their concept sets, and the candidates drawn.

A caption contains dozens of concept sets, most of which occur in no other caption: their number grows with the corpus.
The number of candidates is set by the settings.
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
from conceptloom.pipelines.commongen.counts import SetCounts, count_sets, drawn_sets, merged_sets, routed, units_of_sets
from conceptloom.pipelines.commongen.settings import CommonGenSettings
from conceptloom.pipelines.estimation.model import Drawn, Rows, SampleRun, Samples, SecondStep, fewer
from conceptloom.tasks.merging import blocks_by_level

EnglishSamples = Samples[CommonGenSettings, SetCounts, Counts]


@dataclass(frozen=True)
class CommonGenCosts:
    """See CostModel. `shards` returns the number of shards of lead concepts for a number of captions."""

    shards: Callable[[float], int]

    unit: ClassVar[Unit] = CaptionAnalyser().unit
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
        "mine/shuffled/terms": "counted_terms",
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
        "conceptloom.tasks.commongen.split.train",
        "conceptloom.tasks.commongen.frozen",
        "conceptloom.tasks.commongen.publish",
    )

    def smaller(self, settings: CommonGenSettings, share: float) -> CommonGenSettings:
        """See CostModel: scales the number of candidates and the sizes of dev and test."""
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
        """See CostModel: returns the number of drawn units that contain each of some concept sets."""
        return units_of_sets(context, drawn)

    def rows(self, samples: EnglishSamples) -> list[Rows]:
        """See CostModel."""
        measured = [_measured(run) for run in samples.runs]
        return [_rows(sizes) for sizes in (*measured, _Growth(samples, measured, self.shards).whole())]

    def second_step(self, samples: EnglishSamples, flow: str) -> SecondStep:
        """See CostModel: all rows go straight to their buckets."""
        return SecondStep()


class _Sizes(NamedTuple):
    """The sizes of a sample or of the whole."""

    read: float
    kept: float
    mined: float
    sets: float
    candidates: float
    divided: float
    buckets: int
    more: SetCounts


_COUNTED = (("ingest", "read"), ("ingest", "kept"), ("mine", "kept"), ("sample", "read"), ("sample", "kept"))


def _measured(run: SampleRun[SetCounts]) -> _Sizes:
    read, kept, mined, sets, candidates = (float(getattr(run.stages[stage], what)) for stage, what in _COUNTED)
    return _Sizes(
        read=read,
        kept=kept,
        mined=mined,
        sets=sets,
        candidates=candidates,
        divided=float(run.stages["split"].kept),
        buckets=run.buckets,
        more=run.counts,
    )


def _rows(sizes: _Sizes) -> Rows:
    more = sizes.more
    return {
        **{name: float(value) for name, value in sizes._asdict().items() if name != "more"},
        **{name: float(value) for name, value in more._asdict().items() if name != "leads"},
        "one": 1.0,
        "left_out": sizes.read - sizes.kept,
        "routed": routed(more.leads, more.shards),
        "counted_terms": sizes.buckets * more.terms,
        "degrees": sum(blocks_by_level(more.shards, least=0), more.shards) * more.terms,
        "not_drawn": sizes.sets - sizes.candidates,
        "dropped": sizes.candidates - sizes.divided,
        "bucket_captions": sizes.read / sizes.buckets,
        "shard_sets": sizes.sets / more.shards,
        "bucket_holders": more.holders / sizes.buckets,
    }


@dataclass(frozen=True)
class _Growth:
    """Extrapolates the counts of the whole from those of the nested samples."""

    samples: EnglishSamples
    measured: Sequence[_Sizes]
    shards: Callable[[float], int]

    def whole(self) -> _Sizes:
        """Returns the counts of the whole."""
        last, kept = self.measured[-1], self.samples.kept()
        sets = self._sets()
        candidates = self._candidates(sets)
        # Held-out sets grow in proportion, and the sets of train get more varied: the same share of them is dropped.
        divided = candidates * last.divided / last.candidates
        more = self._more(sets, candidates, divided * last.more.train / last.divided)
        mined = last.mined * kept / last.kept
        return _Sizes(
            read=self.samples.read(),
            kept=kept,
            mined=mined,
            sets=sets,
            candidates=candidates,
            divided=divided,
            buckets=self.samples.buckets,
            more=more,
        )

    def _candidates(self, sets: float) -> float:
        """The sets drawn by score, and as many more for dev and test as a sample's share of both gives."""
        last, size, times = self.measured[-1], self.samples.settings.sample.size, self.samples.times
        more = max(0.0, last.candidates * times - size) if last.candidates < last.sets else 0.0
        return min(size + more, sets)

    def _on(self, value: Callable[[_Sizes], float]) -> float:
        """Returns a number extrapolated from all samples as a power of the captions kept."""
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
        # With a minimum support above 1, sets of a single caption are not mined, so their growth cannot be measured.
        return self.samples.settings.mine.min_support > 1

    def _more(self, sets: float, candidates: float, train: float) -> SetCounts:
        kept, size = self.samples.kept(), self.samples.settings.sample.size
        more, shards = self.measured[-1].more, self.shards(kept)
        times = kept / self.measured[-1].kept
        # Every set has one caption; more come as the corpus grows, but so do new sets.
        further = self._on(lambda one: one.more.references / one.more.train - 1)
        return SetCounts(
            occurrences=self._occurrences(),
            leads=more.leads * times,
            terms=self._on(lambda one: one.more.terms),
            drawn=drawn_sets(sets, shards, size),
            merged=merged_sets(sets, shards, size),
            holders=candidates * self._on(lambda one: one.more.holders / one.candidates),
            train=train,
            references=train * (1 + further),
            shards=shards,
        )
