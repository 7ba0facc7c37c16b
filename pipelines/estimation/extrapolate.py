"""From the stages' costs on nested samples to those of the whole, of any recipe.

Every cost is put down to what it grows with, measured at each size and drawn out as a line; what that is, and how it
grows, the recipe's own model says (conceptloom.pipelines.estimation.model).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import pyarrow as pa

from conceptloom.estimation.fits import Line, bytes_a_row, filled
from conceptloom.estimation.growth import Counts
from conceptloom.pipelines.estimation.model import CostModel, Rows, SampleRun, Samples, StageCosts, apart
from conceptloom.pipelines.estimation.samples import Sample
from conceptloom.schemas import RAW
from conceptloom.tables import to_ipc

HEADS = len(to_ipc(pa.Table.from_pylist([{}], RAW)))
"""The bytes that a block takes besides its rows, about: the schema, and the heads of its columns."""

COPIES = 3
"""Bytes of memory that a byte of a shuffle takes in Beam's local runner, beside the work of a task.

By itself it is 4.0 to 4.3 at the worst moment (41 to 324 MiB in blocks of 0.15 to 3.4 MB), but no task works then; of
builds of 350,000 captions, whose tasks take 0.6 GiB, 2.8 is what is left for it.
"""


class Seconds(NamedTuple):
    """Processor seconds of a stage: in tasks side by side, in tasks of one call, in the runner, in loading once."""

    spread: float
    alone: float
    runner: float
    loading: float


@dataclass(frozen=True)
class Whole:
    """A whole build as drawn out from its samples. `runs` are those of nested samples, the largest last."""

    model: CostModel
    settings: Any
    buckets: int
    sample: Sample
    copies: Counts
    """In how many of the drawn units each distinct sentence of the largest sample stands."""
    cold: SampleRun
    """The first run of the smallest sample: it loaded what the others found loaded."""
    runs: Sequence[SampleRun]
    seen: Any
    """What the recipe's model saw in the largest sample."""

    @cached_property
    def busy(self) -> float:
        """How many times as long the clock ran as the processors of this process: 1 on an idle machine."""
        stages = [stage for run in self.runs for stage in run.stages.values()]
        return max(1.0, sum(one.wall for one in stages) / max(sum(one.cpu for one in stages), 1e-9))

    @cached_property
    def samples(self) -> Samples:
        """What the recipe's model goes by."""
        return Samples(self.settings, self.sample.times, self.buckets, self.copies, self.runs, self.seen)

    @cached_property
    def counts(self) -> list[Rows]:
        """What costs grow with: in each sample, and last in the whole."""
        return self.model.rows(self.samples)

    @property
    def measured(self) -> list[Rows]:
        """The counts of each sample."""
        return self.counts[:-1]

    @property
    def rows(self) -> Rows:
        """The counts of the whole."""
        return self.counts[-1]

    def stages(self, stage: str) -> list[StageCosts]:
        """The costs of one stage in each run."""
        return [run.stages[stage] for run in self.runs]

    def handed_over(self, stage: str, before: float) -> tuple[float, float]:
        """What a stage of the whole reads and keeps; the stage before it kept `before`."""
        costs, reads, keeps = self.stages(stage)[-1], self.model.reads.get(stage), self.model.keeps.get(stage)
        read = self.rows[reads] if reads else before
        return read, self.rows[keeps] if keeps else read * costs.kept / costs.read

    def drivers(self, key: str) -> tuple[list[float], float]:
        """What a cost grows with: in each sample, and in the whole."""
        grows = self.model.grows_with
        name = grows.get(key) or grows.get(key.partition("/")[0], "read")
        return [rows[name] for rows in self.measured], self.rows[name]

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
        groups, again = self.model.second_step(self.samples, f"{stage}/{name}")
        places = blocks[-1] / buckets[-1] ** 2 * self.buckets * (groups or self.buckets)
        heads = filled(whole, places) + filled(again, self.buckets * groups)
        return (whole + again) * rate + HEADS * heads

    def seconds(self, stage: str) -> Seconds:
        """The processor seconds of a stage."""
        costs, took = self.stages(stage), dict[bool, float]({True: 0.0, False: 0.0})
        for task in costs[-1].counted("cpu_ms_"):
            each = [one.counted("cpu_ms_").get(task, 0) / 1000 for one in costs]
            took[task in self.model.alone] += self.drawn_out(f"{stage}/cpu/{task}", each)
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
        if apart(self.model, stage):
            rest = [max(0, one.held - left - COPIES * bytes_) for one, bytes_ in zip(costs, carried, strict=True)]
            return self.drawn_out(f"{stage}/held", rest), COPIES * shuffled
        # Through the largest two: in smaller ones a bucket is not full, and grows as the shuffle does.
        line = Line.through(carried[-2:], [max(0, one.held - left) for one in costs[-2:]])
        return line.fixed, line.each * shuffled
