"""Draws samples of a recipe's inputs, and measures the recipe's stages on them."""

import gc
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from conceptloom import storage
from conceptloom.arrays.types import Int64, UInt64
from conceptloom.corpus.units import Unit
from conceptloom.estimation.machine import bytes_read, resident
from conceptloom.estimation.sampling import DrawnFile, Replay, draw
from conceptloom.manifest import Manifest
from conceptloom.memory import release
from conceptloom.pipelines.build import inputs
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.build.engine import Build, Observer, Runner
from conceptloom.pipelines.build.inputs import InputPlan
from conceptloom.pipelines.build.recipe import Recipe
from conceptloom.pipelines.build.settings import S
from conceptloom.pipelines.estimation.model import CostModel, Counted, Drawn, SampleRun, Seen, StageCosts
from conceptloom.readers import Span, plan_spans, read_span

PAUSE = 0.01
"""Seconds between two measurements of this process's memory."""

T = TypeVar("T")


class Meter(Observer):
    """Measures each stage in the process that runs it. `base` is its memory before anything was loaded.

    Free memory is released before each stage, so that it is not attributed to that stage.
    """

    def __init__(self, base: int) -> None:
        self.stages: dict[str, StageCosts] = {}
        self.outside = 0.0
        self._base = base
        self._peak = 0
        self._mark = time.process_time()

    def started(self, stage: str, sentences: int | None) -> None:
        """Starts measuring a stage."""
        self.outside += time.process_time() - self._mark
        gc.collect()
        release()
        self._peak = 0
        self._mark, self._read = time.process_time(), bytes_read()

    def finished(self, stage: str, manifest: Manifest) -> None:
        """Records the costs of the stage."""
        self.look()
        cpu, read = time.process_time() - self._mark, bytes_read() - self._read
        counts = manifest.ledger.values()
        written = Counter[str]()
        for file in manifest.files:
            written[_kind(file["path"])] += file["bytes"]
        self.stages[stage] = StageCosts(
            read=sum(count["read"] for count in counts),
            kept=sum(count["kept"] for count in counts),
            cpu=cpu,
            wall=manifest.seconds,
            held=max(0, self._peak - self._base),
            bytes_read=read,
            counters=manifest.summary["counters"],
            written=dict(written),
        )
        self._mark = time.process_time()

    def look(self) -> None:
        """Measures the memory of the process."""
        self._peak = max(self._peak, resident())

    def end(self) -> float:
        """Returns the CPU seconds outside all stages."""
        return self.outside + time.process_time() - self._mark


def _kind(path: str) -> str:
    return path.partition("/")[0] if "/" in path else path.partition("-")[0].partition(".")[0]


@contextmanager
def _watched(meter: Meter) -> Iterator[None]:
    done = threading.Event()

    def watch() -> None:
        while not done.wait(PAUSE):
            meter.look()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@dataclass
class SampleBuild(Build[S]):
    """A build of a sample instead of the inputs in the settings."""

    sample: InputPlan | None = None

    def plan(self) -> InputPlan:
        """Returns the sample."""
        assert self.sample is not None
        return self.sample


class Sample(NamedTuple):
    """Nested samples of the inputs, and the sizes of the whole files."""

    plans: list[InputPlan]
    files: list[DrawnFile]

    @property
    def times(self) -> float:
        """The ratio of all inputs to the largest sample."""
        drawn = sum(file.bytes[-1] for file in self.files)
        return max(1.0, sum(file.whole for file in self.files) / drawn) if drawn else 1.0

    def drawn(self, unit: Unit) -> Drawn:
        """Returns the sentences of the largest sample with their drawn units; `unit` splits records into sentences."""
        units, ids, before = [], [], 0
        for file in self.files:
            drawn, heads = _units_and_ids(file, unit)
            units.append(drawn + before)
            ids.append(heads)
            before += len(file.units[-1])
        return Drawn(np.concatenate(units).astype(np.uint64), np.concatenate(ids))


def _units_and_ids(file: DrawnFile, unit: Unit) -> tuple[Int64, UInt64]:
    """Returns, for each sentence of a file's largest sample, its drawn unit and 64 bits of its id."""
    source, ends = file.files[-1], np.cumsum([*file.units[-1], 0])
    entries = list(read_span(Span(source.path), source.reader, source.encoding))
    # A drawn record keeps its number in the whole file; the lines of drawn pieces are renumbered.
    drawn = sorted({entry.record for entry in entries}) if isinstance(source.reader, Replay) else range(1, ends[-1] + 1)
    numbers = {record: place for place, record in enumerate(drawn, 1)}
    rows = [(numbers[row[3]], int(row[0][:16], 16)) for row in unit.rows(entries, 0, source.reader, Counter())]
    found = np.array(rows, dtype=np.uint64).reshape(-1, 2)
    return np.searchsorted(ends, found[:, 0].astype(np.int64)), found[:, 1]


def draw_sample(plan: InputPlan, shares: Sequence[float], limit: int | None, seed: int, directory: str) -> Sample:
    """Draws nested samples of all files of a plan into a directory."""
    small = int(max(shares) * plan.bytes / 64)
    sizes = [storage.match(file.path)[0].size * inputs.unzipping(file.path) for file in plan.files]
    files = [
        draw(number, file, size, shares, small, limit, seed, directory)
        for number, (file, size) in enumerate(zip(plan.files, sizes, strict=True))
    ]
    return Sample([_plan(files, at) for at in range(len(shares))], files)


def _plan(files: list[DrawnFile], at: int) -> InputPlan:
    drawn = [(file.files[at], file.bytes[at]) for file in files if file.bytes[at]]
    spans = []
    for number, (file, _) in enumerate(drawn):
        (info,) = storage.match(file.path)
        spans += [(number, span) for span in plan_spans(info, file.reader, file.encoding, inputs.SPAN_BYTES)]
    size = round(sum(bytes_ for _, bytes_ in drawn))
    return InputPlan(
        files=tuple(file for file, _ in drawn),
        spans=tuple(spans),
        bytes=size,
        fingerprint=f"sample {at}",
        notes=(),
    )


def run_sample(
    recipe: Recipe[S],
    model: CostModel[S, Counted, Seen],
    settings: S,
    plan: InputPlan,
    *,
    runner: Runner,
    base: int,
    look: Callable[[Context[S]], T],
) -> tuple[SampleRun[Counted], T]:
    """Builds a sample in a temporary directory; returns its costs and the result of `look` on the build."""
    meter = Meter(base)
    with tempfile.TemporaryDirectory(prefix="conceptloom-estimate-") as directory, _watched(meter):
        output = storage.join(directory, "build")
        context = SampleBuild(recipe, settings, output, runner, meter, sample=plan).run()
        run = SampleRun(plan.buckets, meter.stages, model.count(context), meter.end())
        return run, look(context)
