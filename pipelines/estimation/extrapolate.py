"""Extrapolation of the stages' costs from nested samples to the whole corpus, for any recipe.

Every cost is attributed to a count that it grows with, measured at each sample size, and extrapolated linearly. The
recipe's cost model defines the counts and how they grow (see conceptloom.pipelines.estimation.model).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, NamedTuple

import pyarrow as pa

from conceptloom.estimation.fits import Line, bytes_a_row, filled
from conceptloom.estimation.growth import Counts
from conceptloom.pipelines.build.settings import S
from conceptloom.pipelines.estimation.model import (
    CostModel,
    Counted,
    Rows,
    SampleRun,
    Samples,
    Seen,
    StageCosts,
)
from conceptloom.pipelines.estimation.samples import Sample
from conceptloom.schemas import RAW
from conceptloom.tables import to_ipc

HEADS = len(to_ipc(pa.Table.from_pylist([{}], RAW)))
"""Approximate bytes of a block besides its rows: the schema and the column headers."""


class Seconds(NamedTuple):
    """CPU seconds of a stage: in parallel tasks, in tasks of a single call, in the runner, and in one-time loading."""

    spread: float
    alone: float
    runner: float
    loading: float


@dataclass(frozen=True)
class Whole(Generic[S, Counted, Seen]):
    """A whole build as extrapolated from its samples. `runs` are those of nested samples, the largest last."""

    model: CostModel[S, Counted, Seen]
    settings: S
    buckets: int
    sample: Sample
    copies: Counts
    """The number of drawn units that contain each distinct sentence of the largest sample."""
    cold: SampleRun[Counted]
    """The first run of the smallest sample, which includes the one-time loading."""
    runs: Sequence[SampleRun[Counted]]
    seen: Seen
    """What the recipe's model observed in the largest sample."""

    @cached_property
    def busy(self) -> float:
        """The ratio of wall time to CPU time of this process: 1 on an idle machine."""
        stages = [stage for run in self.runs for stage in run.stages.values()]
        return max(1.0, sum(one.wall for one in stages) / max(sum(one.cpu for one in stages), 1e-9))

    @cached_property
    def samples(self) -> Samples[S, Counted, Seen]:
        """The samples as the recipe's model takes them."""
        return Samples(
            settings=self.settings,
            times=self.sample.times,
            buckets=self.buckets,
            copies=self.copies,
            runs=self.runs,
            seen=self.seen,
        )

    @cached_property
    def counts(self) -> list[Rows]:
        """The counts that costs grow with: those of each sample, followed by those of the whole."""
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
        """Returns the costs of one stage in each run."""
        return [run.stages[stage] for run in self.runs]

    def handed_over(self, stage: str, before: float) -> tuple[float, float]:
        """Returns the numbers that a stage of the whole reads and keeps; the previous stage kept `before`."""
        costs, reads, keeps = self.stages(stage)[-1], self.model.reads.get(stage), self.model.keeps.get(stage)
        read = self.rows[reads] if reads else before
        return read, self.rows[keeps] if keeps else read * costs.kept / costs.read

    def drivers(self, key: str) -> tuple[list[float], float]:
        """Returns the count that a cost grows with: in each sample, and in the whole."""
        grows = self.model.grows_with
        name = grows.get(key) or grows.get(key.partition("/")[0], "read")
        return [rows[name] for rows in self.measured], self.rows[name]

    def extrapolated(self, key: str, costs: Sequence[float]) -> float:
        """Returns a cost of the whole, given the cost of each sample."""
        rows, whole = self.drivers(key)
        return Line.through(rows, costs).at(whole)

    def bytes_read(self, stage: str) -> float:
        """Returns the bytes that a stage reads from files, counting repeated reads."""
        return self.extrapolated(f"{stage}/bytes", [one.bytes_read for one in self.stages(stage)])

    def written(self, stage: str) -> float:
        """Returns the bytes of the files that a stage writes."""
        costs = self.stages(stage)
        return sum(
            self.extrapolated(f"{stage}/written/{kind}", [one.written.get(kind, 0) for one in costs])
            for kind in costs[-1].written
        )

    def shuffled(self, stage: str) -> float:
        """Returns the bytes that a stage shuffles."""
        found = [one.counted("shuffled_bytes_") for one in self.stages(stage)]
        return sum(self.flow(stage, name) for name in found[-1] if all(name in one for one in found))

    def flow(self, stage: str, name: str) -> float:
        """Returns the bytes that one output of a stage's tasks shuffles."""
        rows, whole = self.drivers(f"{stage}/shuffled/{name}")
        costs = [one.counted("shuffled_bytes_")[name] for one in self.stages(stage)]
        rates = [cost / max(row, 1) for cost, row in zip(costs, rows, strict=True)]
        buckets = [run.buckets for run in self.runs]
        rate = bytes_a_row(buckets, rates, self.buckets)
        blocks = [one.counted("shuffled_blocks_")[name] for one in self.stages(stage)]
        # As many blocks as tasks, which may be as many as rows make shards, and not as buckets.
        tasks = max(buckets[-1] / buckets[0], rows[-1] / max(rows[0], 1))
        if blocks[-1] / blocks[0] <= tasks**1.5:
            return whole * rate
        # Every task sends to every bucket.
        groups, again = self.model.second_step(self.samples, f"{stage}/{name}")
        places = blocks[-1] / buckets[-1] ** 2 * self.buckets * (groups or self.buckets)
        heads = filled(whole, places) + filled(again, self.buckets * groups)
        return (whole + again) * rate + HEADS * heads

    def seconds(self, stage: str) -> Seconds:
        """Returns the CPU seconds of a stage."""
        costs, took = self.stages(stage), dict[bool, float]({True: 0.0, False: 0.0})
        for task in costs[-1].counted("cpu_ms_"):
            each = [one.counted("cpu_ms_").get(task, 0) / 1000 for one in costs]
            took[task in self.model.alone] += self.extrapolated(f"{stage}/cpu/{task}", each)
        if stage == "ingest":
            took[False] += sum(file.reading_seconds for file in self.sample.files)
        runner = [max(0.0, one.cpu - sum(one.counted("cpu_ms_").values()) / 1000) for one in costs]
        loading = max(0.0, self.cold.stages[stage].cpu - costs[0].cpu)
        return Seconds(took[False], took[True], self.extrapolated(f"{stage}/runner", runner), loading)

    def held(self, stage: str) -> float:
        """Returns the memory of a stage above an empty process: the work on one bucket. Its shuffle is in files."""
        costs = self.stages(stage)
        # Memory left over from the first run does not occur in a build.
        left = max(0, costs[0].held - self.cold.stages[stage].held)
        held = [float(max(0, one.held - left)) for one in costs]
        if f"{stage}/held" in self.model.grows_with:
            return self.extrapolated(f"{stage}/held", held)
        # Only the two largest samples: in smaller ones a bucket is not full.
        return max(held[-2:])
