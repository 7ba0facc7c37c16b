"""What the costs of the recipe `commongen` grow with: captions, the concept sets in them, and the candidates drawn.

A caption holds some dozens of concept sets, most of which stand in no other caption: so they are what grows, and the
candidates are as many as the settings say.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from conceptloom.concepts import CODED, supporters
from conceptloom.concepts.lexicon import Lists
from conceptloom.concepts.runs import gather
from conceptloom.corpus.captions import CaptionAnalyser
from conceptloom.corpus.raw import Texts
from conceptloom.estimation.fits import by_power
from conceptloom.estimation.growth import Counts, Growth, incidence
from conceptloom.hashing import id_heads, seed_for, splitmix64
from conceptloom.selection.postings import unpack_ids
from conceptloom.tasks.mine import TERMS
from conceptloom.tasks.sample import TOGETHER
from pipelines.costs import Drawn, Rows, SampleRun, Samples, SecondStep, fewer
from pipelines.recipe import Context

SETS_SEEN = 250_000
"""Of so many concept sets of the largest sample it is looked at in how many drawn units each stands."""


class SetCounts(NamedTuple):
    """What the stages made of a sample, besides what their ledgers say."""

    occurrences: float
    """Concept sets in captions: the sum of the supports."""
    leads: npt.NDArray[Any]
    """How many captions have 0, 1, … concepts that may lead a set there."""
    terms: float
    """Distinct concepts."""
    drawn: float
    """Sets that leave their shards as candidates."""
    merged: float
    """Sets that leave their groups of shards."""
    holders: float
    """Captions that hold the lead concept of a candidate, over all candidates."""
    train: float
    """Sets of train."""
    references: float
    """Their captions, each counted for each of them."""
    shards: int
    """Shards of lead concepts."""


@dataclass(frozen=True)
class CommonGenCosts:
    """See CostModel. `shards` answers how many shards of lead concepts so many captions have.

    What is seen of the largest sample: in how many of the drawn units each of some concept sets stands.
    """

    shards: Callable[[float], int]

    texts: ClassVar[Texts] = CaptionAnalyser.texts
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
    tasks: ClassVar[Sequence[str]] = ("ingest", "mine", "sample", "divide", "frozen_sets", "publish_sets")

    def smaller(self, settings: Any, share: float) -> Any:
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

    def count(self, context: Context) -> SetCounts:
        """See CostModel."""
        size = context.settings.sample.size
        mined = [file["rows"] for file in context.manifests["mine"].files if file["path"].startswith("mined-")]
        groups = [sum(mined[start : start + TOGETHER]) for start in range(0, len(mined), TOGETHER)]
        return SetCounts(
            context.manifests["mine"].summary["numbers"]["supports"]["all"],
            _leads(context),
            _rows_of(context, "mine", TERMS),
            sum(min(rows, size) for rows in mined),
            sum(min(rows, size) for rows in groups),
            _holders(context),
            _rows_of(context, "publish", "data/train-"),
            _rows_of(context, "publish", "published/train-", "_trg.txt"),
            len(mined),
        )

    def look(self, context: Context, drawn: Drawn) -> Counts:
        """In how many of the drawn units each of about SETS_SEEN concept sets stands; shape (sets,)."""
        chosen = _some_sets(context)
        coded = context.shards("mine", "coded", CODED.names)
        held = pa.concat_tables(supporters(table.cast(CODED).to_batches(), chosen) for table in coded)
        order = np.argsort(drawn.heads, kind="stable")
        heads = id_heads(unpack_ids(held["id"]))
        first, last = (np.searchsorted(drawn.heads[order], heads, side) for side in ("left", "right"))
        units = drawn.units[order[gather(first, last - first)]]
        return incidence(units, np.repeat(held["set"].to_numpy(), last - first))

    def rows(self, samples: Samples) -> list[Rows]:
        """See CostModel."""
        measured = [_measured(run) for run in samples.runs]
        return [_rows(sizes) for sizes in (*measured, _whole(samples, measured, self.shards))]

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


def routed(leads: npt.NDArray[Any], shards: int) -> float:
    """How many captions leave for the shards: a copy for each that has one of its possible leads, dealt by chance.

    `leads` says how many captions have 0, 1, … of them.
    """
    return float(leads @ (shards * (1 - (1 - 1 / shards) ** np.arange(len(leads)))))


def _whole(samples: Samples, measured: list[_Sizes], shards_of: Callable[[float], int]) -> _Sizes:
    last, counts = measured[-1], measured[-1].more
    kept, captions = samples.kept(), [one.kept for one in measured]
    more = kept / last.kept

    def on(values: list[float]) -> float:
        return by_power(captions, values, kept)

    sets, shards, size = _sets(samples, measured), shards_of(kept), samples.settings.sample.size
    candidates = min(float(size), sets)
    divided = candidates * (1 - min(1.0, on([1 - one.divided / one.candidates for one in measured])))
    train = divided * counts.train / last.divided
    # Each set has one caption; further ones come as captions do, but new sets come as well.
    further = on([one.more.references / one.more.train - 1 for one in measured])
    found = SetCounts(
        counts.occurrences * more,
        counts.leads * more,
        on([one.more.terms for one in measured]),
        min(sets, float(shards * size)),
        min(sets, float(-(-shards // TOGETHER) * size)),
        candidates * on([one.more.holders / one.candidates for one in measured]),
        train,
        train * (1 + further),
        shards,
    )
    return _Sizes(samples.read(), kept, last.mined * more, sets, candidates, divided, samples.buckets, found)


def _sets(samples: Samples, measured: list[_Sizes]) -> float:
    """The distinct sets of the whole: by how often they were drawn, or, where most were passed over, as they grew."""
    if samples.settings.mine.min_support > 1:
        return by_power([one.kept for one in measured], [one.sets for one in measured], samples.kept())
    grown = Growth.of(samples.seen)
    return measured[-1].sets * grown.distinct(samples.times) / grown.seen


def _rows_of(context: Context, stage: str, start: str, end: str = "") -> int:
    files = context.manifests[stage].files
    return sum(file["rows"] for file in files if file["path"].startswith(start) and file["path"].endswith(end))


def _leads(context: Context) -> npt.NDArray[np.int64]:
    fewest = min(context.settings.mine.sizes) - 1
    sizes = [Lists.from_arrow(table["concepts"]).sizes for table in context.shards("mine", "coded", ["concepts"])]
    return np.bincount(np.maximum(np.concatenate(sizes) - fewest, 0))


def _holders(context: Context) -> int:
    """Concepts are numbered by rarity: the first of a candidate is its lead."""
    held = [Lists.from_arrow(table["concepts"]).values for table in context.shards("mine", "coded", ["concepts"])]
    captions = np.bincount(np.concatenate(held))
    (table,) = context.shards("sample", "sets", ["numbers"])
    numbers = Lists.from_arrow(table["numbers"])
    return int(captions[numbers.values[numbers.offsets[:-1]]].sum())


def _some_sets(context: Context) -> pa.Table:
    """About SETS_SEEN of the mined sets, as `supporters` takes them: each with the same chance."""
    made = context.handed_on("mine")
    share, parts, before = min(1.0, SETS_SEEN / sum(made.values())), [], 0
    for table in context.shards("mine", "mined", ["concepts"]):
        places = np.arange(before, before + len(table), dtype=np.uint64)
        chosen = splitmix64(places ^ seed_for("estimate sets", context.settings.seed)) < share * 2.0**64
        parts.append(table.filter(pa.array(chosen)))
        before += len(table)
    concepts = pa.concat_tables(parts)["concepts"]
    return pa.table({"set": pa.array(np.arange(len(concepts), dtype=np.uint64)), "concepts": concepts})
