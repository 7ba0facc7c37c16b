"""What a whole build will read, shuffle, hold in memory, write and take: from its own stages, run on samples."""

import tempfile
import time
from dataclasses import asdict, dataclass
from typing import Any

from conceptloom.errors import ConfigError
from conceptloom.estimation.growth import Counts
from conceptloom.estimation.machine import cores, idle_worker, memory, resident
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.build.engine import Runner
from conceptloom.pipelines.build.inputs import plan_inputs
from conceptloom.pipelines.build.recipe import Recipe
from conceptloom.pipelines.estimation.extrapolate import Whole
from conceptloom.pipelines.estimation.model import CostModel, apart
from conceptloom.pipelines.estimation.samples import draw_sample, run_sample

DIRECT = "direct"
RUNNERS = (DIRECT, "flink", "dataflow")
SAMPLE_BYTES = 16 * 1024 * 1024
PARTS = (0.25, 0.5, 1.0)
"""The nested samples as parts of the largest. The smallest is run twice: the first run pays for what is loaded once."""


@dataclass(frozen=True)
class StageEstimate:
    """What one stage will do: sentences (or what else it counts), bytes, seconds of processors and on the clock."""

    name: str
    read: int
    kept: int
    bytes_read: int
    bytes_shuffled: int
    bytes_written: int
    cpu_seconds: float
    seconds: float
    bucket_held: int
    """Memory above an idle process that the work on one bucket takes."""
    shuffle_held: int
    """Memory in which the direct runner holds the shuffle."""


@dataclass(frozen=True)
class Estimate:
    """What a build will do, on what that rests, and what the machine has."""

    runner: str
    workers: int
    sample: dict[str, Any]
    """Sentences and bytes of the nested samples; how many times the largest is the whole; seconds that it all took."""
    input_bytes: int
    buckets: int
    stages: tuple[StageEstimate, ...]
    bytes_shuffled: int
    bytes_written: int
    cpu_seconds: float
    seconds: float
    memory: int
    """The most bytes that all processes hold at once (direct), or that one worker does (elsewhere)."""
    machine: dict[str, Any]
    """This machine's cores and bytes of memory, and how many times as long as its processors the clock ran (`busy`)."""
    assumptions: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The estimate as JSON values."""
        return asdict(self)


def estimate(
    recipe: Recipe[Any], settings: Any, runner: Runner, *, where: str, workers: int, sample_bytes: int
) -> Estimate:
    """Builds samples with `runner`, in this process, and says what the whole will take on `workers` workers of `where`.

    Raises ConfigError for a runner that is not known, and whatever a build raises.
    """
    if where not in RUNNERS:
        raise ConfigError(f"there is no estimate for runner {where!r}; there is one for: {', '.join(RUNNERS)}")
    model = recipe.costs
    if model is None:
        raise ConfigError(
            f"what a build of {recipe.name} will take cannot be estimated: try a build with --limit, whose report has "
            "the seconds of each stage"
        )
    begin, start, base = time.monotonic(), time.process_time(), resident()
    whole = build_samples(recipe, model, settings, runner, sample_bytes, base)
    here = cores()
    spread_over = min(workers, whole.buckets, here if where == DIRECT else workers)
    pool = workers if where == DIRECT and workers > 1 else 0
    held, starting = idle_worker(model.tasks) if pool else (0, 0.0)
    stages = stage_estimates(whole, [stage.name for stage in recipe.stages], spread_over, pool)
    # The workers start while this process does.
    outside = start + pool * starting
    first = max(start, outside / here)
    return Estimate(
        where,
        workers,
        _sample_facts(whole, begin),
        round(sum(file.whole for file in whole.sample.files)),
        whole.buckets,
        stages,
        sum(one.bytes_shuffled for one in stages),
        sum(one.bytes_written for one in stages),
        round(outside + whole.runs[-1].finish + sum(one.cpu_seconds for one in stages), 1),
        round((first + whole.runs[-1].finish) * whole.busy + sum(one.seconds for one in stages), 1),
        base + _memory(stages, where, pool, held, all(apart(model, one.name) for one in stages)),
        {"cores": here, "memory": memory(), "busy": round(whole.busy, 2)},
        _assumptions(where, spread_over),
    )


def build_samples(
    recipe: Recipe[Any], model: CostModel, settings: Any, runner: Runner, sample_bytes: int, base: int
) -> Whole:
    """Draws nested samples of at most `sample_bytes` and builds them; `base` is this process's memory before all that.

    Raises what a build raises.
    """
    plan = plan_inputs(settings.inputs)
    shares = [part * min(1.0, sample_bytes / plan.bytes) for part in PARTS]
    with tempfile.TemporaryDirectory(prefix="conceptloom-estimate-") as directory:
        sample = draw_sample(plan, shares, settings.limit, settings.seed, directory)

        def look(context: Context[Any]) -> tuple[Counts, Any]:
            drawn = sample.drawn(model.unit)
            return drawn.copies(), model.look(context, drawn)

        small = [model.smaller(settings, part / sample.times) for part in PARTS]
        *less, most = zip(small, sample.plans, strict=True)
        cold, _ = run_sample(recipe, model, *less[0], runner, base)
        runs = [run_sample(recipe, model, *one, runner, base)[0] for one in less]
        largest, (copies, seen) = run_sample(recipe, model, *most, runner, base, look)
    return Whole(model, settings, plan.buckets, sample, copies, cold, [*runs, largest], seen)


def stage_estimates(whole: Whole, names: list[str], spread_over: int, pool: int = 0) -> tuple[StageEstimate, ...]:
    """The stages in order; tasks are divided by `spread_over`, and each process of the `pool` loads what it needs."""
    stages: list[StageEstimate] = []
    for name in names:
        took = whole.seconds(name)
        read, kept = whole.handed_over(name, stages[-1].kept if stages else whole.rows["read"])
        shuffled = whole.shuffled(name)
        one_bucket, shuffle = whole.held(name, shuffled)
        one = StageEstimate(
            name,
            round(read),
            round(kept),
            round(whole.bytes_read(name)),
            round(shuffled),
            round(whole.written(name)),
            round(sum(took) + max(0, pool - 1) * took.loading, 2),
            round((took.spread / spread_over + took.alone + took.runner + took.loading) * whole.busy, 2),
            round(one_bucket),
            round(shuffle),
        )
        stages.append(one)
    return tuple(stages)


def _memory(stages: tuple[StageEstimate, ...], where: str, pool: int, held: int, apart: bool) -> int:
    """The most memory above this process's when it was empty; an idle worker of the pool holds `held`.

    `apart`: bucket and shuffle of a stage are told apart, so that those of different stages are not put together.
    """
    one_bucket = max(one.bucket_held for one in stages)
    if where != DIRECT:
        return one_bucket
    if not pool:
        return max(one.bucket_held + one.shuffle_held for one in stages)
    if apart:
        return max(one.shuffle_held + pool * (held + one.bucket_held) for one in stages)
    return max(one.shuffle_held for one in stages) + pool * (held + one_bucket)


def _sample_facts(whole: Whole, begin: float) -> dict[str, Any]:
    return {
        "sentences": [int(rows["read"]) for rows in whole.measured],
        "bytes": [plan.bytes for plan in whole.sample.plans],
        "times": round(whole.sample.times, 3),
        "seconds": round(time.monotonic() - begin, 1),
    }


def _assumptions(where: str, spread_over: int) -> tuple[str, ...]:
    times = f"processor seconds of tasks, as measured on this machine, are divided by {spread_over}"
    if where == DIRECT:
        return (
            f"{times} (workers, but not more than cores and buckets); what Beam does itself is not divided",
            "memory: this process with the largest shuffle, and with two workers or more each of them with one bucket",
        )
    return (
        f"{times} (workers, but not more than buckets): a worker's core is as fast as one here; starting machines, the "
        "network and the engine's own shuffle are not in it",
        "memory: a worker process with one bucket; the shuffle is the engine's, on its disks",
    )
