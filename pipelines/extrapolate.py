"""From the stages' costs on nested samples to those of the whole.

Every cost is put down to what it grows with (sentences read, kept, selected, rows of postings), measured at each size
and drawn out as a line; how these counts grow is another matter, and `conceptloom.estimation` says how.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import pyarrow as pa

from conceptloom.estimation.fits import Line, bytes_a_row, filled, waning
from conceptloom.estimation.growth import Counts, Growth, capped_total
from conceptloom.schemas import RAW
from conceptloom.selection.routes import Routes
from conceptloom.tables import to_ipc
from pipelines.config import SelectSettings
from pipelines.sample import Sample, SampleRun, StageCosts

GROWS_WITH = {
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
"""What each cost of korean-commongen grows with; one that is not named, as its stage."""

ALONE = {"Summarise"}
"""Tasks of one call: no number of workers makes them faster."""

HEADS = len(to_ipc(pa.Table.from_pylist([{}], RAW)))
"""The bytes that a block takes besides its rows, about: the schema, and the heads of its columns."""


class Rows(NamedTuple):
    """What costs grow with, in sentences or rows."""

    read: float
    kept: float
    selected: float
    index_rows: float
    sent: float
    """Posting rows that leave the shards, each capped there."""

    def of(self, name: str) -> float:
        """A count by the names of GROWS_WITH."""
        differences = {
            "filtered": self.read - self.kept,
            "not_selected": self.kept - self.selected,
            "left_out": self.read - self.selected,
        }
        return differences[name] if name in differences else float(getattr(self, name))


class Seconds(NamedTuple):
    """Processor seconds of a stage: in tasks side by side, in tasks of one call, in the runner, in loading once."""

    spread: float
    alone: float
    runner: float
    loading: float


@dataclass(frozen=True)
class Whole:
    """A whole build as drawn out from its samples. `runs` are those of nested samples, the largest last."""

    select: SelectSettings
    buckets: int
    sample: Sample
    copies: Counts
    """In how many of the drawn units each distinct sentence of the largest sample stands."""
    cold: SampleRun
    """The first run of the smallest sample: it loaded what the others found loaded."""
    runs: Sequence[SampleRun]
    sizes: Counts
    """The sentences of each posting in the largest sample, without a limit."""

    @cached_property
    def busy(self) -> float:
        """How many times as long the clock ran as the processors of this process: 1 on an idle machine."""
        stages = [stage for run in self.runs for stage in run.stages.values()]
        return max(1.0, sum(one.wall for one in stages) / max(sum(one.cpu for one in stages), 1e-9))

    @cached_property
    def measured(self) -> list[Rows]:
        """The counts of each sample."""
        return [
            Rows(
                run.stages["ingest"].read,
                run.stages["ingest"].kept,
                run.postings.selected,
                run.postings.index_rows,
                self._sent(run.stages["ingest"].kept, run.buckets),
            )
            for run in self.runs
        ]

    @cached_property
    def rows(self) -> Rows:
        """The counts of the whole."""
        last, times = self.measured[-1], self.sample.times
        copies = Growth.of(self.copies)
        kept = last.kept * copies.distinct(times) / copies.seen
        index = capped_total(self.sizes, max(1.0, kept / last.kept), self.select.posting_limit)
        return Rows(last.read * times, kept, self._selected(kept), index, self._sent(kept, self.buckets))

    def _selected(self, kept: float) -> float:
        """What postings choose, less what several of them choose: the share of that wanes as postings grow."""
        top, grown, chosen = self.select.top_k, Growth.of(self.sizes), self.runs[-1].postings.chosen
        more = max(1.0, kept / self.measured[-1].kept)
        several = [1 - run.postings.selected / run.postings.chosen for run in self.runs]
        share = waning([rows.kept for rows in self.measured], several, kept)
        return min(kept, chosen * grown.capped(more, top) / grown.capped(1, top) * (1 - share))

    def _sent(self, kept: float, parts: int) -> float:
        """Posting rows of so many sentences when each of so many parts of them caps its postings."""
        share = kept / self.runs[-1].stages["ingest"].kept / parts
        return parts * capped_total(self.sizes, share, self.select.posting_limit)

    def stages(self, stage: str) -> list[StageCosts]:
        """The costs of one stage in each run."""
        return [run.stages[stage] for run in self.runs]

    def drivers(self, key: str) -> tuple[list[float], float]:
        """What a cost grows with: in each sample, and in the whole."""
        name = GROWS_WITH.get(key) or GROWS_WITH.get(key.partition("/")[0], "read")
        return [rows.of(name) for rows in self.measured], self.rows.of(name)

    def drawn_out(self, key: str, costs: Sequence[float]) -> float:
        """A cost of the whole from that of each sample."""
        rows, whole = self.drivers(key)
        return Line.through(rows, costs).at(whole)

    def bytes_read(self, stage: str) -> float:
        """The bytes that a stage reads from files, again and again where it does."""
        return self.drawn_out(f"{stage}/bytes", [one.bytes_read for one in self.stages(stage)])

    def written(self, stage: str) -> float:
        """The bytes of the files that a stage leaves."""
        costs = self.stages(stage)
        return sum(
            self.drawn_out(f"{stage}/written/{kind}", [one.written.get(kind, 0) for one in costs])
            for kind in costs[-1].written
        )

    def shuffled(self, stage: str) -> float:
        """The bytes that leave the stage's tasks for other ones."""
        found = [one.counted("shuffled_bytes_") for one in self.stages(stage)]
        return sum(self.flow(stage, name) for name in found[-1] if all(name in one for one in found))

    def flow(self, stage: str, name: str) -> float:
        """The bytes that one output of a stage's tasks carries to other tasks."""
        rows, whole = self.drivers(f"{stage}/shuffled/{name}")
        costs = [one.counted("shuffled_bytes_")[name] for one in self.stages(stage)]
        rates = [cost / max(row, 1) for cost, row in zip(costs, rows, strict=True)]
        buckets = [run.buckets for run in self.runs]
        rate = bytes_a_row(buckets, rates, self.buckets)
        blocks = [one.counted("shuffled_blocks_")[name] for one in self.stages(stage)]
        if blocks[-1] / blocks[0] <= (buckets[-1] / buckets[0]) ** 1.5:
            return whole * rate
        # Every task sends to every bucket.
        groups = Routes.among(self.buckets).groups if name == "postings" else 0
        places = blocks[-1] / buckets[-1] ** 2 * self.buckets * (groups or self.buckets)
        again = self._sent(self.rows.kept, groups) if groups else 0
        heads = filled(whole, places) + filled(again, self.buckets * groups)
        return (whole + again) * rate + HEADS * heads

    def seconds(self, stage: str) -> Seconds:
        """The processor seconds of a stage."""
        costs, took = self.stages(stage), dict[bool, float]({True: 0.0, False: 0.0})
        for task in costs[-1].counted("cpu_ms_"):
            each = [one.counted("cpu_ms_").get(task, 0) / 1000 for one in costs]
            took[task in ALONE] += self.drawn_out(f"{stage}/cpu/{task}", each)
        if stage == "ingest":
            took[False] += sum(file.reading_seconds for file in self.sample.files)
        runner = [max(0.0, one.cpu - sum(one.counted("cpu_ms_").values()) / 1000) for one in costs]
        loading = max(0.0, self.cold.stages[stage].cpu - costs[0].cpu)
        return Seconds(took[False], took[True], self.drawn_out(f"{stage}/runner", runner), loading)

    def held(self, stage: str, shuffled: float) -> tuple[float, float]:
        """Memory above an empty process, with all work in it: one bucket's, and what grows with the shuffle."""
        costs = self.stages(stage)
        carried = [float(sum(one.counted("shuffled_bytes_").values())) for one in costs]
        # What the first run left behind in this process is not there in a build.
        left = max(0, costs[0].held - self.cold.stages[stage].held)
        line = Line.through(carried, [max(0, one.held - left) for one in costs])
        return line.fixed, line.each * shuffled
