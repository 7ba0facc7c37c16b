"""Compares `conceptloom estimate` with the build that it estimates: runs both, one right after the other.

    python benchmarks/estimate.py CORPUS [CORPUS ...] [--workers 1] [--sample 16M] [--within 0.3]
    python benchmarks/estimate.py CORPUS [CORPUS ...] --recipe commongen --conceptnet FILE

A corpus is a path, or NAME=PATH or NAME:FORMAT=PATH for a source of that name. Prints the estimate, the build and their
ratio for each quantity; exits with status 1 if one is off by more than `--within` (seconds are judged only for stages
that take a tenth of the whole). Wall time is reliable only on an idle machine: the last line prints the ratio of wall
time to CPU time for both.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from processes import family, resident

from conceptloom.json_values import JsonObject

Rows = list[tuple[str, float, float]]


def command(name: str, what: list[str], *more: str) -> list[str]:
    """Returns a command line; `what` is the recipe and its inputs."""
    return [sys.executable, "-m", "conceptloom", name, *what, *more]


def estimate(what: list[str], workers: int, sample: str) -> tuple[JsonObject, float]:
    """Returns the estimate and the seconds that it took."""
    begin = time.monotonic()
    made = subprocess.run(
        command("estimate", what, "--workers", str(workers), "--sample", sample, "--json"),
        stdout=subprocess.PIPE,
        check=True,
    )
    found: JsonObject = json.loads(made.stdout)
    return found, time.monotonic() - begin


def children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def build(what: list[str], workers: int, output: Path) -> tuple[float, float, int]:
    """Returns wall seconds, CPU seconds and the peak memory of all processes of a whole build."""
    begin, used, peak = time.monotonic(), children_cpu(), 0
    process = subprocess.Popen(
        command("build", what, "--workers", str(workers), "--output", str(output)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None:
        peak = max(peak, sum(map(resident, family(process.pid))))
        time.sleep(0.05)
    if process.returncode:
        raise SystemExit(f"the build failed with status {process.returncode}")
    return time.monotonic() - begin, children_cpu() - used, peak


def compared(found: JsonObject, output: Path, built: tuple[float, float, int]) -> Iterator[tuple[str, float, float]]:
    seconds, cpu, peak = built
    shuffled = written = 0
    for number, one in enumerate(found["stages"], 1):
        name = one["name"]
        path = output / "stages" / f"{number}-{name}" / "MANIFEST.json"
        manifest = json.loads(path.read_text(encoding="utf-8"))
        counters = manifest["summary"]["counters"]
        for what in ("read", "kept"):
            yield f"{name}: rows {what}", one[what], sum(count[what] for count in manifest["ledger"].values())
        stage_shuffled = sum(value for key, value in counters.items() if key.startswith("shuffled_bytes_"))
        stage_written = sum(file["bytes"] for file in manifest["files"])
        yield f"{name}: bytes shuffled", one["bytes_shuffled"], stage_shuffled
        yield f"{name}: bytes written", one["bytes_written"], stage_written
        yield f"{name}: seconds", one["seconds"], manifest["seconds"]
        shuffled, written = shuffled + stage_shuffled, written + stage_written
    yield "total: bytes shuffled", found["bytes_shuffled"], shuffled
    yield "total: bytes written", found["bytes_written"], written
    yield "total: CPU seconds", found["cpu_seconds"], cpu
    yield "total: seconds", found["seconds"], seconds
    yield "peak memory, all processes", found["memory"], peak


def counts(name: str, build_value: float, total_seconds: float) -> bool:
    """Returns whether a quantity is judged: receipts are no shuffle, a light stage only starts up."""
    if name.endswith(": seconds") and not name.startswith("total"):
        return build_value >= total_seconds / 10
    return name != "publish: bytes shuffled"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--recipe", default="korean-commongen")
    parser.add_argument("--conceptnet", help="commongen: a file of ConceptNet")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--sample", default="16M")
    parser.add_argument("--within", type=float, default=0.3)
    options = parser.parse_args()
    named = [corpus if "=" in corpus else f"captions={corpus}" for corpus in options.corpora]
    names = [f"--conceptnet={options.conceptnet}"] if options.conceptnet else []
    what = [options.recipe, *(f"--input={one}" for one in named), *names]
    found, took = estimate(what, options.workers, options.sample)
    with tempfile.TemporaryDirectory() as directory:
        built = build(what, options.workers, Path(directory) / "build")
        rows: Rows = list(compared(found, Path(directory) / "build", built))
    off = show(rows, built[0], options.within)
    sample = found["sample"]
    print(
        f"estimated in {took:.0f} s from samples of {sample['sentences']} sentences, {options.workers} workers; "
        f"clock per CPU second {found['machine']['busy']} and, in the build, {built[0] / built[1]:.2f}; "
        f"{off} of the judged quantities off by more than {options.within:.0%}"
    )
    sys.exit(1 if off else 0)


def show(rows: Rows, seconds: float, within: float) -> int:
    """Prints the table; returns how many judged quantities are too far off."""
    print(f"{'':<28}{'estimate':>16}{'build':>16}{'ratio':>8}")
    off = 0
    for name, estimated, real in rows:
        ratio = estimated / real if real else float(estimated == real)
        judged = counts(name, real, seconds)
        wrong = judged and abs(ratio - 1) > within
        off += wrong
        digits = 1 if name.endswith("seconds") else 0
        mark = "" if judged else "  not judged"
        print(f"{name:<28}{estimated:>16,.{digits}f}{real:>16,.{digits}f}{ratio:>8.2f}{mark}{'  OFF' if wrong else ''}")
    return off


if __name__ == "__main__":
    main()
