"""A sample of a recipe's inputs, and the recipe's own stages run on it, measured."""

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.corpus.raw import candidate_rows
from conceptloom.estimation.growth import Counts, incidence
from conceptloom.estimation.machine import bytes_read, resident
from conceptloom.estimation.sampling import Drawn, Replay, draw
from conceptloom.languages.korean.normalise import normalise
from conceptloom.languages.korean.sentences import split_sentences
from conceptloom.manifest import Manifest
from conceptloom.readers import Span, plan_spans, read_span
from conceptloom.selection.postings import explode, pack_ids, posting_keys
from conceptloom.tables import read_table
from pipelines import inputs
from pipelines.build import Build, Observer, Runner
from pipelines.inputs import InputPlan
from pipelines.recipe import Context, Recipe

PAUSE = 0.01
"""Seconds between two looks at this process's memory."""


@dataclass(frozen=True)
class StageCosts:
    """What one stage read, kept, used and wrote. Times are seconds; everything else is sentences or bytes."""

    read: int
    kept: int
    cpu: float
    wall: float
    held: int
    """The most memory that the process held, above what it had when nothing was loaded."""
    bytes_read: int
    counters: dict[str, int]
    written: dict[str, int]
    """By kind of file."""

    def counted(self, prefix: str) -> dict[str, int]:
        """The counters of a prefix, by the rest of their names."""
        found = self.counters.items()
        return {name.removeprefix(prefix): number for name, number in found if name.startswith(prefix)}


class Postings(NamedTuple):
    """What stage select made of a sample: index rows, those of them that a posting chose, and distinct sentences."""

    index_rows: int
    chosen: int
    selected: int


@dataclass
class SampleRun:
    """The recipe's stages on one sample."""

    buckets: int
    stages: dict[str, StageCosts]
    postings: Postings
    finish: float
    """CPU seconds of what a build does besides its stages."""


class Meter(Observer):
    """Measures each stage in the process that runs it."""

    def __init__(self, base: int) -> None:
        self.stages: dict[str, StageCosts] = {}
        self.outside = 0.0
        self._base = base
        self._peak = 0
        self._mark = time.process_time()

    def started(self, stage: str, sentences: int | None) -> None:
        """Marks where the stage begins."""
        self.outside += time.process_time() - self._mark
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
class SampleBuild(Build):
    """A build of a drawn sample instead of the inputs that the settings name."""

    sample: InputPlan | None = None

    def plan(self) -> InputPlan:
        """The sample."""
        assert self.sample is not None
        return self.sample


class Sample(NamedTuple):
    """Nested samples of the inputs, and how much there is of everything."""

    plans: list[InputPlan]
    files: list[Drawn]

    @property
    def times(self) -> float:
        """How many times as large as the largest sample the whole is."""
        drawn = sum(file.bytes[-1] for file in self.files)
        return max(1.0, sum(file.whole for file in self.files) / drawn) if drawn else 1.0

    def copies(self) -> Counts:
        """In how many of the drawn units each distinct sentence of the largest sample stands."""
        units, ids, before = [], [], 0
        for file in self.files:
            unit, heads = _units_and_ids(file)
            units.append(unit + before)
            ids.append(heads)
            before += len(file.units[-1])
        return incidence(np.concatenate(units).astype(np.uint64), np.concatenate(ids))


def _units_and_ids(file: Drawn) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
    """For each sentence of a file's largest sample: the unit that it was drawn with, and 64 bits of its id."""
    source, ends = file.files[-1], np.cumsum([*file.units[-1], 0])
    entries = list(read_span(Span(source.path), source.reader, source.encoding))
    # A drawn record keeps its number, which is of the whole file; the lines of drawn pieces are numbered anew.
    drawn = sorted({entry.record for entry in entries}) if isinstance(source.reader, Replay) else range(1, ends[-1] + 1)
    numbers = {record: place for place, record in enumerate(drawn, 1)}
    rows = [(numbers[row[3]], int(row[0][:16], 16)) for row in candidate_rows(entries, 0, normalise, split_sentences)]
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


def _plan(files: list[Drawn], at: int) -> InputPlan:
    drawn = [(file.files[at], file.bytes[at]) for file in files if file.bytes[at]]
    spans = []
    for number, (file, _) in enumerate(drawn):
        (info,) = storage.match(file.path)
        spans += [(number, span) for span in plan_spans(info, file.reader, file.encoding, inputs.SPAN_BYTES)]
    size = round(sum(bytes_ for _, bytes_ in drawn))
    return InputPlan(tuple(file for file, _ in drawn), tuple(spans), size, f"sample {at}", ())


def run_sample(recipe: Recipe, settings: Any, plan: InputPlan, runner: Runner, base: int) -> tuple[SampleRun, Counts]:
    """Builds a sample in a temporary directory; answers what it cost, and how large its postings would be uncapped."""
    meter = Meter(base)
    with tempfile.TemporaryDirectory(prefix="conceptloom-estimate-") as directory, _watched(meter):
        output = storage.join(directory, "build")
        context = SampleBuild(recipe, settings, output, runner, meter, sample=plan).run()
        run = SampleRun(plan.buckets, meter.stages, _postings(context), meter.end())
        return run, posting_sizes(context)


def _shards(context: Context, stage: str, kind: str, columns: list[str]) -> Iterator[pa.Table]:
    for file in context.manifests[stage].files:
        if file["path"].startswith(f"{kind}-"):
            yield read_table(storage.join(context.directory(stage), file["path"]), columns)


def _postings(context: Context) -> Postings:
    index = chosen = 0
    for table in _shards(context, "select", "index", ["selected"]):
        index, chosen = index + len(table), chosen + (pc.sum(table["selected"]).as_py() or 0)
    return Postings(index, chosen, context.kept("select"))


def posting_sizes(context: Context) -> Counts:
    """How many sentences of the sample each posting would hold without a limit; shape (postings,)."""
    chosen = context.settings.select
    columns = ["id", "source", "concepts", "morphemes"]
    sentences = pa.concat_tables(_shards(context, "ingest", "sentences", columns)).combine_chunks()
    rows, concepts = explode(sentences, chosen.unit)
    keys = posting_keys(concepts, sentences["source"], pack_ids(sentences["id"]), rows, chosen.per_source)
    return np.unique(keys.posting, return_counts=True)[1]
