"""The cost model of the recipe `korean-commongen`: costs grow with sentences and with the rows of capped postings."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.ids import pack_ids
from conceptloom.corpus.analysis import KoreanAnalyser
from conceptloom.corpus.units import Unit
from conceptloom.estimation.fits import waning
from conceptloom.estimation.growth import Counts, Growth, capped_total
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.estimation.model import Drawn, Rows, Samples, SecondStep, fewer
from conceptloom.pipelines.korean_commongen.settings import KoreanCommonGenSettings
from conceptloom.selection.postings import explode, posting_keys
from conceptloom.selection.routes import Routes


class Postings(NamedTuple):
    """The results of stage select on a sample: index rows, selected index rows, and distinct selected sentences."""

    index_rows: int
    chosen: int
    selected: int


KoreanSamples = Samples[KoreanCommonGenSettings, Postings, Counts]


class KoreanCosts:
    """See CostModel. Observes the uncapped size of each posting in the largest sample."""

    unit: ClassVar[Unit] = KoreanAnalyser().unit
    grows_with: ClassVar[Mapping[str, str]] = {
        "ingest": "read",
        "select": "kept",
        "split": "selected",
        "publish": "selected",
        "ingest/written/sentences": "kept",
        "ingest/written/rejected": "filtered",
        "select/shuffled/postings": "sent",
        "select/shuffled/chosen": "selected",
        "select/cpu/ScorePostings": "index_rows",
        "select/written/index": "index_rows",
        "select/written/sentences": "selected",
        "select/written/rejected": "not_selected",
        "publish/written/index": "index_rows",
        "publish/written/rejected": "left_out",
    }
    reads: ClassVar[Mapping[str, str]] = {}
    keeps: ClassVar[Mapping[str, str]] = {"ingest": "kept", "select": "selected"}
    units: ClassVar[Mapping[str, str]] = {}
    alone: ClassVar[AbstractSet[str]] = frozenset({"Summarise"})
    tasks: ClassVar[Sequence[str]] = (
        "conceptloom.tasks.ingest",
        "conceptloom.tasks.korean_commongen.select",
        "conceptloom.tasks.korean_commongen.split",
        "conceptloom.tasks.publish",
    )

    def smaller(self, settings: KoreanCommonGenSettings, share: float) -> KoreanCommonGenSettings:
        """See CostModel: scales the absolute sizes of validation and test."""
        split = settings.split
        sizes = {name: fewer(getattr(split, name), share) for name in ("validation", "test")}
        return settings.model_copy(update={"limit": None, "split": split.model_copy(update=sizes)})

    def count(self, context: Context[KoreanCommonGenSettings]) -> Postings:
        """See CostModel."""
        index = chosen = 0
        for table in context.shards("select", "index", ["selected"]):
            index, chosen = index + len(table), chosen + (pc.sum(table["selected"]).as_py() or 0)
        return Postings(index, chosen, context.kept("select"))

    def look(self, context: Context[KoreanCommonGenSettings], drawn: Drawn) -> Counts:
        """Returns the number of sentences that each posting would hold without a limit; shape (postings,)."""
        chosen = context.settings.select
        columns = ["id", "source", "concepts", "morphemes"]
        sentences = pa.concat_tables(context.shards("ingest", "sentences", columns)).combine_chunks()
        rows, concepts = explode(sentences, chosen.unit)
        keys = posting_keys(concepts, sentences["source"], pack_ids(sentences["id"]), rows, chosen.per_source)
        return np.unique(keys.posting, return_counts=True)[1]

    def rows(self, samples: KoreanSamples) -> list[Rows]:
        """See CostModel."""
        measured = [
            _rows(
                read=run.stages["ingest"].read,
                kept=run.stages["ingest"].kept,
                selected=run.counts.selected,
                index_rows=run.counts.index_rows,
                sent=_sent(samples, run.stages["ingest"].kept, run.buckets),
            )
            for run in samples.runs
        ]
        kept, limit = samples.kept(), samples.settings.select.posting_limit
        index = capped_total(samples.seen, max(1.0, kept / measured[-1]["kept"]), limit)
        sent = _sent(samples, kept, samples.buckets)
        selected = _selected(samples, kept)
        return [*measured, _rows(read=samples.read(), kept=kept, selected=selected, index_rows=index, sent=sent)]

    def second_step(self, samples: KoreanSamples, flow: str) -> SecondStep:
        """See CostModel: postings are capped by groups of shards on the way to their buckets."""
        groups = Routes.among(samples.buckets).groups if flow == "select/postings" else 0
        return SecondStep(groups, _sent(samples, samples.kept(), groups)) if groups else SecondStep()


def _rows(read: float, kept: float, selected: float, index_rows: float, sent: float) -> Rows:
    """Returns the counts by name; `sent` is the number of posting rows that the shards send, capped within each."""
    return {
        "read": read,
        "kept": kept,
        "selected": selected,
        "index_rows": index_rows,
        "sent": sent,
        "filtered": read - kept,
        "not_selected": kept - selected,
        "left_out": read - selected,
    }


def _selected(samples: KoreanSamples, kept: float) -> float:
    """Returns the number of distinct selected sentences; the overlap of postings shrinks as they grow."""
    top, grown, chosen = samples.settings.select.top_k, Growth.of(samples.seen), samples.runs[-1].counts.chosen
    sizes = samples.counts("ingest", "kept")
    more = max(1.0, kept / sizes[-1])
    several = [1 - run.counts.selected / run.counts.chosen for run in samples.runs]
    share = waning(sizes, several, kept)
    return min(kept, chosen * grown.capped(more, top) / grown.capped(1, top) * (1 - share))


def _sent(samples: KoreanSamples, kept: float, parts: int) -> float:
    """Returns the number of posting rows of `kept` sentences if each of `parts` parts caps its postings."""
    share = kept / samples.runs[-1].stages["ingest"].kept / parts
    return parts * capped_total(samples.seen, share, samples.settings.select.posting_limit)
