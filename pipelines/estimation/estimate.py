"""Estimates what a whole build will read, shuffle, hold in memory, write and take, from builds of samples."""

import tempfile
import time
from dataclasses import asdict, dataclass

from conceptloom.errors import ConfigError
from conceptloom.estimation.growth import Counts
from conceptloom.estimation.machine import cores, idle_worker, memory, resident
from conceptloom.json_values import JsonObject
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.build.engine import Runner
from conceptloom.pipelines.build.inputs import plan_inputs
from conceptloom.pipelines.build.recipe import Recipe
from conceptloom.pipelines.build.settings import S
from conceptloom.pipelines.estimation.extrapolate import Whole
from conceptloom.pipelines.estimation.model import CostModel, Counted, Seen
from conceptloom.pipelines.estimation.samples import draw_sample, run_sample

DIRECT = "direct"
RUNNERS = (DIRECT, "flink", "dataflow")
SAMPLE_BYTES = 16 * 1024 * 1024
PARTS = (0.25, 0.5, 1.0)
"""The nested samples as parts of the largest. The smallest is run twice: the first run includes one-time loading."""


@dataclass(frozen=True)
class StageEstimate:
    """The estimate for one stage: sentences (or the items that it counts), bytes, CPU seconds and wall seconds."""

    name: str
    read: int
    kept: int
    bytes_read: int
    bytes_shuffled: int
    bytes_written: int
    cpu_seconds: float
    seconds: float
    bucket_held: int
    """Memory for the work on one bucket, above an idle process."""


@dataclass(frozen=True)
class Estimate:
    """The estimate for a build, its basis, and the resources of this machine."""

    runner: str
    workers: int
    sample: JsonObject
    """Sentences and bytes of the nested samples, the ratio of the whole to the largest, and the seconds taken."""
    input_bytes: int
    buckets: int
    stages: tuple[StageEstimate, ...]
    bytes_shuffled: int
    bytes_written: int
    cpu_seconds: float
    seconds: float
    memory: int
    """Peak bytes of all processes together (direct runner) or of one worker (other runners)."""
    machine: JsonObject
    """Cores and bytes of memory of this machine, and the ratio of wall time to CPU time (`busy`)."""
    assumptions: tuple[str, ...]

    def to_json(self) -> JsonObject:
        """Returns the estimate as JSON values."""
        return asdict(self)


def estimate(
    recipe: Recipe[S], settings: S, runner: Runner, *, where: str, workers: int, sample_bytes: int
) -> Estimate:
    """Builds samples with `runner` in this process; returns the estimate for `workers` workers of runner `where`.

    `runner` compresses blocks as that runner does. Raises ConfigError for an unknown runner, and whatever a build
    raises.
    """
    if where not in RUNNERS:
        raise ConfigError(f"cannot estimate a build on runner {where!r}; supported runners: {', '.join(RUNNERS)}")
    model = recipe.costs
    if model is None:
        raise ConfigError(
            f"the cost of a build of {recipe.name} cannot be estimated: try a build with --limit, whose report has the "
            "seconds of each stage"
        )
    begin, start, base = time.monotonic(), time.process_time(), resident()
    whole = build_samples(recipe, model, settings, runner=runner, sample_bytes=sample_bytes, base=base)
    here = cores()
    spread_over = min(workers, whole.buckets, here if where == DIRECT else workers)
    pool = workers if where == DIRECT and workers > 1 else 0
    held, starting = idle_worker(model.tasks) if pool else (0, 0.0)
    stages = stage_estimates(whole, [stage.name for stage in recipe.stages], spread_over, pool)
    # The workers start at the same time as this process.
    outside = start + pool * starting
    first = max(start, outside / here)
    return Estimate(
        runner=where,
        workers=workers,
        sample=_sample_facts(whole, begin),
        input_bytes=round(sum(file.whole for file in whole.sample.files)),
        buckets=whole.buckets,
        stages=stages,
        bytes_shuffled=sum(one.bytes_shuffled for one in stages),
        bytes_written=sum(one.bytes_written for one in stages),
        cpu_seconds=round(outside + whole.runs[-1].finish + sum(one.cpu_seconds for one in stages), 1),
        seconds=round((first + whole.runs[-1].finish) * whole.busy + sum(one.seconds for one in stages), 1),
        memory=base + _memory(stages, pool, held),
        machine={"cores": here, "memory": memory(), "busy": round(whole.busy, 2)},
        assumptions=_assumptions(where, spread_over),
    )


def build_samples(
    recipe: Recipe[S],
    model: CostModel[S, Counted, Seen],
    settings: S,
    *,
    runner: Runner,
    sample_bytes: int,
    base: int,
) -> Whole[S, Counted, Seen]:
    """Draws and builds nested samples of at most `sample_bytes`; returns the extrapolated whole.

    `base` is the memory of this process before that. Raises whatever a build raises.
    """
    plan = plan_inputs(settings.inputs, settings.limit)
    shares = [part * min(1.0, sample_bytes / plan.bytes) for part in PARTS]
    with tempfile.TemporaryDirectory(prefix="conceptloom-estimate-") as directory:
        sample = draw_sample(plan, shares, settings.limit, settings.seed, directory)

        def look(context: Context[S]) -> tuple[Counts, Seen]:
            drawn = sample.drawn(model.unit)
            return drawn.copies(), model.look(context, drawn)

        small = [model.smaller(settings, part / sample.times) for part in PARTS]
        *less, most = zip(small, sample.plans, strict=True)
        cold, _ = run_sample(recipe, model, *less[0], runner=runner, base=base, look=_nothing)
        runs = [run_sample(recipe, model, *one, runner=runner, base=base, look=_nothing)[0] for one in less]
        largest, (copies, seen) = run_sample(recipe, model, *most, runner=runner, base=base, look=look)
    return Whole(
        model=model,
        settings=settings,
        buckets=plan.buckets,
        sample=sample,
        copies=copies,
        cold=cold,
        runs=[*runs, largest],
        seen=seen,
    )


def _nothing(context: Context[S]) -> None:
    return None


def stage_estimates(
    whole: Whole[S, Counted, Seen], names: list[str], spread_over: int, pool: int = 0
) -> tuple[StageEstimate, ...]:
    """Returns the estimates of the stages in order.

    The time of tasks is divided by `spread_over`; each process of the `pool` does its own one-time loading.
    """
    stages: list[StageEstimate] = []
    for name in names:
        took = whole.seconds(name)
        read, kept = whole.handed_over(name, stages[-1].kept if stages else whole.rows["read"])
        one = StageEstimate(
            name=name,
            read=round(read),
            kept=round(kept),
            bytes_read=round(whole.bytes_read(name)),
            bytes_shuffled=round(whole.shuffled(name)),
            bytes_written=round(whole.written(name)),
            cpu_seconds=round(sum(took) + max(0, pool - 1) * took.loading, 2),
            seconds=round((took.spread / spread_over + took.alone + took.runner + took.loading) * whole.busy, 2),
            bucket_held=round(whole.held(name)),
        )
        stages.append(one)
    return tuple(stages)


def _memory(stages: tuple[StageEstimate, ...], pool: int, held: int) -> int:
    """Returns the peak memory above that of this process when it was empty; an idle worker of the pool holds `held`."""
    one_bucket = max(one.bucket_held for one in stages)
    return pool * (held + one_bucket) if pool else one_bucket


def _sample_facts(whole: Whole[S, Counted, Seen], begin: float) -> JsonObject:
    return {
        "sentences": [int(rows["read"]) for rows in whole.measured],
        "bytes": [plan.bytes for plan in whole.sample.plans],
        "times": round(whole.sample.times, 3),
        "seconds": round(time.monotonic() - begin, 1),
    }


def _assumptions(where: str, spread_over: int) -> tuple[str, ...]:
    times = f"CPU seconds of tasks, as measured on this machine, are divided by {spread_over}"
    if where == DIRECT:
        return (
            f"{times} (workers, at most cores and buckets); Beam's own work is not divided",
            "memory: this process and, with two or more workers, one bucket in each of them; the shuffle of a "
            "stage waits in files below --output",
        )
    return (
        f"{times} (workers, at most buckets): a worker's core is as fast as one here; starting machines, the "
        "network and the engine's own shuffle are not included",
        "memory: a worker process with one bucket; the engine keeps the shuffle on its disks",
    )
