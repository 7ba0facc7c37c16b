"""Compares a whole build with bare tagging of the same corpus, both with the same number of processes.

    python benchmarks/build_speed.py CORPUS.txt [--workers 2] [--runs 3]
    python benchmarks/build_speed.py CORPUS.txt --sizes 0.25,1,2,4 [--runs 3]      # millions of its first lines
    python benchmarks/build_speed.py --short                                       # as CI does

Bare tagging is the part that cannot be left out: mecab-python3 over every line in a `multiprocessing.Pool`. The first
kind throws the analyses away in the workers, the second hands them back to the caller, who throws them away. Build and
taggings are commands of their own, measured from starting Python to their end, one after the other in each run.

Prints for each the wall seconds, the CPU seconds of all its processes and their peak memory together (pages that
processes share count for each of them), then the ratios of build to tagging, each the median over the runs with the
least and the most, and seconds and CPU seconds by task of the last build's stages. With --sizes it prints a Markdown
table; its last columns are the factors by which a doubled corpus takes longer.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import islice, pairwise
from pathlib import Path

import bare_tagging
from bare_tagging import KINDS, count_lines
from processes import Run, measured

from conceptloom.json_values import JsonObject

ROOT = Path(__file__).resolve().parents[1]
SCALE_CORPUS = ROOT.parent / "shared" / "tools" / "scale_corpus.py"
SHORT = 50_000
_CPU = "cpu_ms_"


@dataclass(frozen=True)
class Stage:
    """A stage of a build: wall seconds, and CPU seconds by task."""

    name: str
    seconds: float
    cpu: dict[str, float]


@dataclass(frozen=True)
class Measured:
    """The runs of the build and of each kind of bare tagging over one corpus, in pairs, and the last build's stages."""

    sentences: int
    builds: list[Run]
    taggings: dict[str, list[Run]]
    stages: list[Stage]

    def ratios(self, kind: str, of: Callable[[Run], float]) -> list[float]:
        """How many times as long as bare tagging of a kind each build took."""
        return [of(build) / of(tagging) for build, tagging in zip(self.builds, self.taggings[kind], strict=True)]


def wall(run: Run) -> float:
    return run.seconds


def cpu(run: Run) -> float:
    return run.cpu


def memory(run: Run) -> float:
    return run.peak / 2**30


def measure(corpus: Path, workers: int, runs: int) -> Measured:
    """Returns the figures of a corpus, a sentence a line."""
    builds: list[Run] = []
    taggings: dict[str, list[Run]] = {kind: [] for kind in KINDS}
    tagging = [sys.executable, Path(bare_tagging.__file__).resolve(), corpus, f"--workers={workers}"]
    for _ in range(runs):
        for kind, several in taggings.items():
            several.append(measured([*tagging, f"--kind={kind}"]))
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "conceptloom", "build", "korean-commongen", f"--input=captions={corpus}"]
            builds.append(measured([*command, f"--output={folder}/build", f"--workers={workers}"]))
            stages = stages_of(Path(folder) / "build")
    return Measured(count_lines(corpus), builds, taggings, stages)


def stages_of(build: Path) -> list[Stage]:
    """Returns the stages of a finished build in their order."""
    paths = sorted(build.glob("stages/*/MANIFEST.json"), key=lambda path: int(path.parent.name.partition("-")[0]))
    return [_stage(json.loads(path.read_text(encoding="utf-8"))) for path in paths]


def _stage(manifest: JsonObject) -> Stage:
    counters: dict[str, int] = manifest["summary"]["counters"]
    spent = {name.removeprefix(_CPU): value / 1000 for name, value in counters.items() if name.startswith(_CPU)}
    return Stage(manifest["name"], manifest["seconds"], spent)


def first_lines(corpus: Path, count: int, target: Path) -> Path:
    """Writes the first lines of a corpus to a file and returns it; raises SystemExit if there are not so many."""
    with corpus.open("rb") as lines, target.open("wb") as file:
        written = sum(1 for line in islice(lines, count) if file.write(line))
    if written < count:
        raise SystemExit(
            f"{corpus} has {written:,} lines, and {count:,} are wanted: give a larger corpus of distinct sentences, "
            f"such as one that the project's shared/tools/scale_corpus.py writes (scale_corpus.py {count} FILE)"
        )
    return target


def spread(values: Sequence[float], digits: int = 2) -> str:
    """Returns the median, with the least and the most behind it.

    >>> spread([3, 1, 2], 1), spread([1.234])
    ('2.0 (1.0-3.0)', '1.23')
    """
    median = f"{statistics.median(values):.{digits}f}"
    return median if len(values) == 1 else f"{median} ({min(values):.{digits}f}-{max(values):.{digits}f})"


def report(found: Measured) -> list[str]:
    """Returns the lines that are printed for one corpus."""
    runs = {"build": found.builds, **{f"tagging, {KINDS[kind]}": several for kind, several in found.taggings.items()}}
    lines = [
        f"{name}: {spread([*map(wall, several)])} s, CPU {spread([*map(cpu, several)])} s, "
        f"peak memory {spread([*map(memory, several)])} GiB"
        for name, several in runs.items()
    ]
    for kind, what in KINDS.items():
        ratios = [spread(found.ratios(kind, of)) for of in (wall, cpu)]
        lines.append(f"build / tagging, {what}: wall {ratios[0]}, CPU {ratios[1]}")
    for stage in found.stages:
        tasks = ", ".join(f"{task} {seconds:.2f}" for task, seconds in stage.cpu.items())
        lines.append(f"stage {stage.name}: {stage.seconds:.2f} s; CPU {sum(stage.cpu.values()):.2f} s: {tasks}")
    return lines


def doubling(before: Measured, after: Measured, of: Callable[[Run], float]) -> float:
    """Returns the factor by which the build takes longer for twice the sentences, between two sizes."""
    factor = statistics.median(map(of, after.builds)) / statistics.median(map(of, before.builds))
    return float(factor ** (1 / math.log2(after.sentences / before.sentences)))


def table(sizes: Sequence[Measured]) -> list[str]:
    """Returns the lines of a Markdown table with a row for each size."""
    ratios = [f"wall, CPU / tagging, {what}" for what in KINDS.values()]
    header = ["sentences", "build, s", "CPU, s", "peak, GiB", *ratios, "doubled: wall", "doubled: CPU"]
    growth = [["", ""], *([f"{doubling(*pair, of):.2f}" for of in (wall, cpu)] for pair in pairwise(sizes))]
    return [_row(header), _row(["---"] * len(header)), *(_row(_cells(*both)) for both in zip(sizes, growth))]


def _cells(found: Measured, growth: list[str]) -> list[str]:
    figures = [spread([*map(of, found.builds)]) for of in (wall, cpu, memory)]
    ratios = [f"{spread(found.ratios(kind, wall))}, {spread(found.ratios(kind, cpu))}" for kind in KINDS]
    return [f"{found.sentences:,}", *figures, *ratios, *growth]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def short_corpus(target: Path) -> Path:
    """Writes a small corpus for CI to a file and returns it.

    It is made of the real sentences where these are beside the project, otherwise of the package's samples. Those are
    so few that starting is most of it; repeated they would be duplicates, which a build does not tag.
    """
    if SCALE_CORPUS.exists():
        subprocess.run([sys.executable, SCALE_CORPUS, str(SHORT), target], check=True, stdout=subprocess.DEVNULL)
        return target
    records = json.loads((resources.files("conceptloom.samples") / "captions_ko.json").read_text(encoding="utf-8"))
    lines = [text for record in records for text in record["caption_ko"] or ()]
    target.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_mutually_exclusive_group()
    parser.add_argument("corpus", type=Path, nargs="?", help="a file with a sentence a line")
    which.add_argument("--sizes", type=lambda text: [round(float(one) * 1e6) for one in text.split(",")])
    which.add_argument("--short", action="store_true", help=f"{SHORT:,} sentences, once")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    if (options.corpus is None) != options.short:
        parser.error("give either a corpus or --short")
    with tempfile.TemporaryDirectory() as folder:
        compare(options, Path(folder))


def compare(options: argparse.Namespace, folder: Path) -> None:
    corpus = short_corpus(folder / "short.txt") if options.short else options.corpus.resolve()
    if not options.sizes:
        found = measure(corpus, options.workers, options.runs)
        print(f"{found.sentences:,} sentences, {options.workers} workers, runs: {options.runs}")
        print("\n".join(report(found)))
        return
    # All corpora first: one that is too small is said before the hours that the others take.
    corpora = [first_lines(corpus, count, folder / f"{count}.txt") for count in options.sizes]
    print("\n".join(table([measure(one, options.workers, options.runs) for one in corpora])))


if __name__ == "__main__":
    main()
