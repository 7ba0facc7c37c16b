"""What a whole build will read, shuffle, hold in memory, write and take: from its stages, run on nested samples.

Every cost is put down to what it grows with (sentences read, kept, selected, rows of postings), measured at three sizes
and drawn out as a line; how these counts grow is another matter, and `conceptloom.estimation` says how.
"""

import tempfile
import time
from dataclasses import asdict, dataclass
from typing import Any

from conceptloom.errors import ConfigError
from conceptloom.estimation.fits import Line, bytes_a_row, filled, waning
from conceptloom.estimation.growth import Counts, Growth, capped_total
from conceptloom.estimation.machine import cores, idle_worker, memory, resident
from conceptloom.schemas import RAW
from conceptloom.selection.routes import Routes
from conceptloom.tables import to_ipc
from pipelines.build import Runner
from pipelines.inputs import InputPlan, plan_inputs
from pipelines.recipe import Recipe
from pipelines.sample import Sample, SampleRun, StageCosts, draw_sample, run_sample

DIRECT = "direct"
RUNNERS = (DIRECT, "flink", "dataflow")
SAMPLE_BYTES = 16 * 1024 * 1024
PARTS = (0.25, 0.5, 1.0)
"""The nested samples as parts of the largest. The smallest runs twice: the first time pays for what is loaded once."""

GROWS_WITH = {
    "ingest": "read",
    "select": "kept",
    "split": "selected",
    "publish": "selected",
    "ingest/written/sentences": "kept",
    "ingest/written/rejected": "filtered",
    "select/shuffled/postings": "sent",
    "select/shuffled/chosen": "selected",
    "select/cpu/ScorePostings": "index",
    "select/written/index": "index",
    "select/written/sentences": "selected",
    "select/written/rejected": "not_selected",
    "publish/written/index": "index",
    "publish/written/rejected": "left_out",
}
"""What each cost of korean-commongen grows with; one that is not named, with what its stage reads."""

ALONE = {"Summarise"}
"""Tasks of one call: no number of workers makes them faster."""


@dataclass(frozen=True)
class Rows:
    """What costs grow with, in sentences or rows."""

    read: float
    kept: float
    selected: float
    index: float
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


@dataclass(frozen=True)
class StageEstimate:
    """What one stage will do. Bytes, and seconds: of processors (`cpu_seconds`) and on the clock."""

    name: str
    read: int
    kept: int
    bytes_read: int
    bytes_shuffled: int
    bytes_written: int
    cpu_seconds: float
    seconds: float
    held: int
    """Memory above an idle process, with all of it in one process."""
    shuffle_held: int
    """That part of it that grows with what is shuffled."""


@dataclass(frozen=True)
class Estimate:
    """What a build will do, on what that rests, and what the machine has."""

    runner: str
    workers: int
    sample: dict[str, Any]
    input_bytes: int
    buckets: int
    files: int
    stages: tuple[StageEstimate, ...]
    bytes_shuffled: int
    bytes_written: int
    seconds: float
    memory: int
    """The most that all processes hold at once (direct), or one worker (elsewhere)."""
    machine: dict[str, Any]
    assumptions: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The estimate as JSON values."""
        return asdict(self)


def estimate(recipe: Recipe, settings: Any, runner: Runner, where: str, workers: int, sample_bytes: int) -> Estimate:
    """Builds samples with `runner`, in this process, and says what the whole will take on `workers` workers of `where`.

    Raises ConfigError for a runner that is not known, and what a build raises.
    """
    if where not in RUNNERS:
        raise ConfigError(f"no runner is called {where!r}; there are: {', '.join(RUNNERS)}")
    begin, start, base = time.monotonic(), time.process_time(), resident()
    plan = plan_inputs(settings.inputs)
    share = min(1.0, sample_bytes / plan.bytes)
    with tempfile.TemporaryDirectory(prefix="conceptloom-estimate-") as directory:
        shares = [part * share for part in PARTS]
        sample = draw_sample(plan, shares, settings.limit, settings.seed, directory)
        small = [smaller_settings(settings, 1 / sample.times * part) for part in PARTS]
        cold, _ = run_sample(recipe, small[0], sample.plans[0], runner, base)
        runs, sizes = [], None
        for one, drawn in zip(small, sample.plans, strict=True):
            run, sizes = run_sample(recipe, one, drawn, runner, base, one is small[-1])
            runs.append(run)
        assert sizes is not None
        whole = _Whole(recipe, settings, plan, sample, cold, runs, sizes)
        return whole.estimate(where, workers, start, base, begin)


def smaller_settings(settings: Any, share: float) -> Any:
    """The settings for a sample: no limit of records, and held-out numbers of sets in proportion."""
    split = settings.split
    sizes = {name: getattr(split, name) for name in ("validation", "test")}
    fewer = {name: round(size * share) if isinstance(size, int) else size for name, size in sizes.items()}
    return settings.model_copy(update={"limit": None, "split": split.model_copy(update=fewer)})


class _Whole:
    """The whole build as drawn out from its samples."""

    def __init__(
        self,
        recipe: Recipe,
        settings: Any,
        plan: InputPlan,
        sample: Sample,
        cold: SampleRun,
        runs: list[SampleRun],
        sizes: Counts,
    ) -> None:
        self._names = [stage.name for stage in recipe.stages]
        self._select = settings.select
        self._plan = plan
        self._sample = sample
        self._cold = cold
        self._runs = runs
        self._sizes = sizes
        self._kept = [run.stages["ingest"].kept for run in runs]
        self._busy = max(1.0, _total(runs, "wall") / max(_total(runs, "cpu"), 1e-9))
        self._at = [
            Rows(
                run.stages["ingest"].read,
                kept,
                run.postings.selected,
                run.postings.index,
                self._sent(kept, run.buckets),
            )
            for run, kept in zip(runs, self._kept, strict=True)
        ]
        self._rows = self._all_rows()

    def _all_rows(self) -> Rows:
        times, last = self._sample.times, self._at[-1]
        copies = Growth.of(self._sample.copies())
        kept = last.kept * copies.distinct(times) / copies.seen
        more = max(1.0, kept / last.kept)
        limit, top = self._select.posting_limit, self._select.top_k
        grown = Growth.of(self._sizes)
        chosen = self._runs[-1].postings.chosen * grown.capped(more, top) / grown.capped(1, top)
        twice = [1 - run.postings.selected / run.postings.chosen for run in self._runs]
        selected = min(kept, chosen * (1 - waning(self._kept, twice, kept)))
        index = capped_total(self._sizes, more, limit)
        return Rows(last.read * times, kept, selected, index, self._sent(kept, self._plan.buckets))

    def _sent(self, kept: float, shards: int) -> float:
        """Posting rows of so many sentences that are in so many shards, each of which caps its postings."""
        return shards * capped_total(self._sizes, kept / self._kept[-1] / shards, self._select.posting_limit)

    def _driver(self, key: str) -> tuple[list[float], float]:
        name = GROWS_WITH.get(key) or GROWS_WITH.get(key.partition("/")[0], "read")
        return [rows.of(name) for rows in self._at], self._rows.of(name)

    def _line(self, key: str, costs: list[float]) -> float:
        rows, whole = self._driver(key)
        return Line.through(rows, costs).at(whole)

    def _stages(self, stage: str) -> list[StageCosts]:
        return [run.stages[stage] for run in self._runs]

    def _shuffled(self, stage: str) -> float:
        """The bytes that leave the stage's tasks for other ones."""
        found = [one.counted("shuffled_bytes_") for one in self._stages(stage)]
        return sum(self._flow(stage, name) for name in found[-1] if all(name in one for one in found))

    def _flow(self, stage: str, name: str) -> float:
        costs = [one.counted("shuffled_bytes_")[name] for one in self._stages(stage)]
        rows, whole = self._driver(f"{stage}/shuffled/{name}")
        buckets, wanted = [run.buckets for run in self._runs], self._plan.buckets
        rates = [cost / max(row, 1) for cost, row in zip(costs, rows, strict=True)]
        carried = whole * bytes_a_row(buckets, rates, wanted)
        blocks = self._stages(stage)[-1].counted("shuffled_blocks_")[name]
        if not buckets[-1] < buckets[-1] ** 2 <= blocks:
            return carried
        groups = Routes.among(wanted).groups if name == "postings" else 0
        places = blocks / buckets[-1] ** 2 * wanted * (groups or wanted)
        carried += HEADS * filled(whole, places)
        if groups:
            again = groups * capped_total(
                self._sizes, self._rows.kept / self._kept[-1] / groups, self._select.posting_limit
            )
            carried += again * rates[-1] + HEADS * filled(again, wanted * groups)
        return carried

    def _cpu(self, stage: str) -> tuple[float, float, float]:
        """Seconds of a stage's processors: in tasks that run side by side, in tasks of one call, in the runner."""
        costs = self._stages(stage)
        spread = alone = 0.0
        for task in costs[-1].counted("cpu_ms_"):
            seconds = self._line(f"{stage}/cpu/{task}", [one.counted("cpu_ms_").get(task, 0) / 1000 for one in costs])
            spread, alone = (spread, alone + seconds) if task in ALONE else (spread + seconds, alone)
        own = [max(0.0, one.cpu - sum(one.counted("cpu_ms_").values()) / 1000) for one in costs]
        if stage == self._names[0]:
            spread += sum(file.reading_seconds for file in self._sample.files)
        return spread, alone, self._line(f"{stage}/runner", own)

    def _loading(self, stage: str) -> float:
        return max(0.0, self._cold.stages[stage].cpu - self._runs[0].stages[stage].cpu)

    def _held(self, stage: str, shuffled: float) -> tuple[float, float]:
        costs = self._stages(stage)
        carried = [float(sum(one.counted("shuffled_bytes_").values())) for one in costs]
        line = Line.through(carried, [one.held for one in costs])
        return line.fixed, line.each * shuffled

    def _stage(self, stage: str, spread_over: int) -> StageEstimate:
        costs = self._stages(stage)
        read = {"ingest": self._rows.read, "select": self._rows.kept}.get(stage, self._rows.selected)
        kinds = costs[-1].written
        written = sum(
            self._line(f"{stage}/written/{kind}", [one.written.get(kind, 0) for one in costs]) for kind in kinds
        )
        shuffled = self._shuffled(stage)
        spread, alone, runner = self._cpu(stage)
        fixed, grows = self._held(stage, shuffled)
        loading = self._loading(stage)
        return StageEstimate(
            stage,
            round(read),
            round(read * costs[-1].kept / costs[-1].read if stage != "ingest" else self._rows.kept)
            if stage != "select"
            else round(self._rows.selected),
            round(self._line(f"{stage}/read", [one.bytes_read for one in costs])),
            round(shuffled),
            round(written),
            round(spread + alone + runner + loading, 2),
            round((loading + spread / spread_over + alone + runner) * self._busy, 2),
            round(fixed + grows),
            round(grows),
        )

    def estimate(self, where: str, workers: int, start: float, base: int, begin: float) -> Estimate:
        """The estimate, for so many workers; `start` are the CPU seconds that loading this program took."""
        here = cores()
        spread_over = min(workers, self._plan.buckets, here) if where == DIRECT else min(workers, self._plan.buckets)
        stages = tuple(self._stage(name, spread_over) for name in self._names)
        seconds = start * self._busy + sum(one.seconds for one in stages) + self._runs[-1].finish * self._busy
        return Estimate(
            where,
            workers,
            self._sample_facts(begin),
            self._plan.bytes,
            self._plan.buckets,
            self._files(),
            stages,
            sum(one.bytes_shuffled for one in stages),
            sum(one.bytes_written for one in stages),
            round(seconds, 1),
            round(self._memory(stages, where, workers, base)),
            {"cores": here, "memory": memory(), "busy": round(self._busy, 2)},
            tuple(_assumptions(where, spread_over, here)),
        )

    def _memory(self, stages: tuple[StageEstimate, ...], where: str, workers: int, base: int) -> float:
        own = max(one.held - one.shuffle_held for one in stages)
        if where != DIRECT:
            return base + own
        if workers < 2:
            return base + max(one.held for one in stages)
        return base + max(one.shuffle_held for one in stages) + workers * (idle_worker() + own)

    def _sample_facts(self, begin: float) -> dict[str, Any]:
        bytes_ = [plan.bytes for plan in self._sample.plans]
        sentences = [int(rows.read) for rows in self._at]
        took = round(time.monotonic() - begin, 1)
        return {"sentences": sentences, "bytes": bytes_, "times": round(self._sample.times, 3), "seconds": took}

    def _files(self) -> int:
        """Files of shards; the published files are about as many again."""
        kinds = {"ingest": 2, "select": 3, "split": 2}
        return sum(kinds.get(name, 0) for name in self._names) * self._plan.buckets


HEADS = len(to_ipc(RAW.empty_table()))
"""What a block takes besides its rows, about: the schema, and the heads of its columns."""


def _total(runs: list[SampleRun], what: str) -> float:
    return sum(getattr(stage, what) for run in runs for stage in run.stages.values())


def _assumptions(where: str, spread_over: int, here: int) -> list[str]:
    times = f"processor seconds of tasks were measured on this machine and are divided by {spread_over}"
    if where == DIRECT:
        return [
            f"{times} (workers, at most the {here} cores and the buckets); what Beam does itself is not divided",
            "memory: this process with the shuffle, and a worker that holds one bucket for each worker",
        ]
    return [
        f"{times} (workers, at most the buckets) as if a worker's core were like this machine's; starting machines, "
        "the network and the engine's own work are not in it",
        "memory: one worker process with one bucket; the shuffle is the engine's, on its disks",
    ]
