"""What the costs of the recipe `korean-commongen` grow with: sentences, and the rows of capped postings."""

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
    """What stage select made of a sample: index rows, those of them that a posting chose, and distinct sentences."""

    index_rows: int
    chosen: int
    selected: int


class KoreanCosts:
    """See CostModel. What is seen of the largest sample: the sentences of each posting, without a limit."""

    unit: ClassVar[Unit] = KoreanAnalyser.unit
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
        """See CostModel: held-out numbers of sets in proportion."""
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
        """How many sentences of the sample each posting would hold without a limit; shape (postings,)."""
        chosen = context.settings.select
        columns = ["id", "source", "concepts", "morphemes"]
        sentences = pa.concat_tables(context.shards("ingest", "sentences", columns)).combine_chunks()
        rows, concepts = explode(sentences, chosen.unit)
        keys = posting_keys(concepts, sentences["source"], pack_ids(sentences["id"]), rows, chosen.per_source)
        return np.unique(keys.posting, return_counts=True)[1]

    def rows(self, samples: Samples) -> list[Rows]:
        """See CostModel."""
        measured = [
            _rows(
                run.stages["ingest"].read,
                run.stages["ingest"].kept,
                run.counts.selected,
                run.counts.index_rows,
                _sent(samples, run.stages["ingest"].kept, run.buckets),
            )
            for run in samples.runs
        ]
        kept, limit = samples.kept(), samples.settings.select.posting_limit
        index = capped_total(samples.seen, max(1.0, kept / measured[-1]["kept"]), limit)
        sent = _sent(samples, kept, samples.buckets)
        return [*measured, _rows(samples.read(), kept, _selected(samples, kept), index, sent)]

    def second_step(self, samples: Samples, flow: str) -> SecondStep:
        """See CostModel: postings are capped by groups of shards on their way."""
        groups = Routes.among(samples.buckets).groups if flow == "select/postings" else 0
        return SecondStep(groups, _sent(samples, samples.kept(), groups)) if groups else SecondStep()


def _rows(read: float, kept: float, selected: float, index_rows: float, sent: float) -> Rows:
    """`sent` are the posting rows that leave the shards, each capped there."""
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


def _selected(samples: Samples, kept: float) -> float:
    """What postings choose, less what several of them choose: the share of that wanes as postings grow."""
    top, grown, chosen = samples.settings.select.top_k, Growth.of(samples.seen), samples.runs[-1].counts.chosen
    sizes = samples.counts("ingest", "kept")
    more = max(1.0, kept / sizes[-1])
    several = [1 - run.counts.selected / run.counts.chosen for run in samples.runs]
    share = waning(sizes, several, kept)
    return min(kept, chosen * grown.capped(more, top) / grown.capped(1, top) * (1 - share))


def _sent(samples: Samples, kept: float, parts: int) -> float:
    """Posting rows of so many sentences when each of so many parts of them caps its postings."""
    share = kept / samples.runs[-1].stages["ingest"].kept / parts
    return parts * capped_total(samples.seen, share, samples.settings.select.posting_limit)
