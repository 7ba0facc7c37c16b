"""A sample of a recipe's inputs, and the recipe's own stages run on it, measured."""

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from conceptloom import storage
from conceptloom.corpus.units import Unit
from conceptloom.estimation.machine import bytes_read, release, resident
from conceptloom.estimation.sampling import DrawnFile, Replay, draw
from conceptloom.manifest import Manifest
from conceptloom.pipelines.build import inputs
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.build.engine import Build, Observer, Runner
from conceptloom.pipelines.build.inputs import InputPlan
from conceptloom.pipelines.build.recipe import Recipe
from conceptloom.pipelines.estimation.model import CostModel, Drawn, SampleRun, StageCosts
from conceptloom.readers import Span, plan_spans, read_span

PAUSE = 0.01
"""Seconds between two looks at this process's memory."""


class Meter(Observer):
    """Measures each stage in the process that runs it. `base` is its memory when nothing was loaded.

    Before each, what earlier ones have left is given back, so that it is not taken for this one's.
    """

    def __init__(self, base: int) -> None:
        self.stages: dict[str, StageCosts] = {}
        self.outside = 0.0
        self._base = base
        self._peak = 0
        self._mark = time.process_time()

    def started(self, stage: str, sentences: int | None) -> None:
        """Marks where the stage begins."""
        self.outside += time.process_time() - self._mark
        release()
        self._peak = 0
        self._mark, self._read = time.process_time(), bytes_read()

    def finished(self, stage: str, manifest: Manifest) -> None:
        """Takes down what the stage has cost."""
        self.look()
        cpu, read = time.process_time() - self._mark, bytes_read() - self._read
        counts = manifest.ledger.values()
        written = Counter[str]()
        for file in manifest.files:
            written[_kind(file["path"])] += file["bytes"]
        self.stages[stage] = StageCosts(
            sum(count["read"] for count in counts),
            sum(count["kept"] for count in counts),
            cpu,
            manifest.seconds,
            max(0, self._peak - self._base),
            read,
            manifest.summary["counters"],
            dict(written),
        )
        self._mark = time.process_time()

    def look(self) -> None:
        """Looks at the process's memory."""
        self._peak = max(self._peak, resident())

    def end(self) -> float:
        """The CPU seconds that belonged to no stage."""
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
class SampleBuild(Build[Any]):
    """A build of a drawn sample instead of the inputs that the settings name."""

    sample: InputPlan | None = None

    def plan(self) -> InputPlan:
        """The sample."""
        assert self.sample is not None
        return self.sample


class Sample(NamedTuple):
    """Nested samples of the inputs, and how much there is of everything."""

    plans: list[InputPlan]
    files: list[DrawnFile]

    @property
    def times(self) -> float:
        """How many times as large as the largest sample the whole is."""
        drawn = sum(file.bytes[-1] for file in self.files)
        return max(1.0, sum(file.whole for file in self.files) / drawn) if drawn else 1.0

    def drawn(self, unit: Unit) -> Drawn:
        """The sentences of the largest sample with what they were drawn with; `unit` makes sentences of records."""
        units, ids, before = [], [], 0
        for file in self.files:
            drawn, heads = _units_and_ids(file, unit)
            units.append(drawn + before)
            ids.append(heads)
            before += len(file.units[-1])
        return Drawn(np.concatenate(units).astype(np.uint64), np.concatenate(ids))


def _units_and_ids(file: DrawnFile, unit: Unit) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
    """For each sentence of a file's largest sample: the unit that it was drawn with, and 64 bits of its id."""
    source, ends = file.files[-1], np.cumsum([*file.units[-1], 0])
    entries = list(read_span(Span(source.path), source.reader, source.encoding))
    # A drawn record keeps its number, which is of the whole file; the lines of drawn pieces are numbered anew.
    drawn = sorted({entry.record for entry in entries}) if isinstance(source.reader, Replay) else range(1, ends[-1] + 1)
    numbers = {record: place for place, record in enumerate(drawn, 1)}
    rows = [(numbers[row[3]], int(row[0][:16], 16)) for row in unit.rows(entries, 0, source.reader)]
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
    return InputPlan(tuple(file for file, _ in drawn), tuple(spans), size, f"sample {at}", ())


def run_sample(
    recipe: Recipe[Any],
    model: CostModel,
    settings: Any,
    plan: InputPlan,
    runner: Runner,
    base: int,
    look: Callable[[Context[Any]], Any] = lambda context: None,
) -> tuple[SampleRun, Any]:
    """Builds a sample in a temporary directory; answers what it cost, and what `look` sees while the build is there."""
    meter = Meter(base)
    with tempfile.TemporaryDirectory(prefix="conceptloom-estimate-") as directory, _watched(meter):
        output = storage.join(directory, "build")
        context = SampleBuild(recipe, settings, output, runner, meter, sample=plan).run()
        run = SampleRun(plan.buckets, meter.stages, model.count(context), meter.end())
        return run, look(context)
