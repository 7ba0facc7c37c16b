"""Measures the memory of a build on a Flink inside its job server: what the JVM takes, and what Python takes beside it.

    python benchmarks/engine_memory.py --jar JAR [--workers 1 2 4] [--java=-Xmx1g …] -- RECIPE --input NAME=PATH …

Builds with `--runner flink` and looks at its processes ten times a second. Prints, for each number of parallel tasks,
the seconds of the build and the peaks: of the JVM (job server and Flink), of all Python processes, and of both.
The JVM takes what it finds: by default its heap may grow to a quarter of the machine's memory, which is printed too.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from processes import family, resident


class Peaks(NamedTuple):
    """The largest sums of resident bytes."""

    java: int = 0
    python: int = 0
    both: int = 0

    def with_now(self, process: int) -> "Peaks":
        """Returns the peaks, given what the descendants of a process take now."""
        sizes = {True: 0, False: 0}
        for member in family(process):
            sizes[is_java(member)] += resident(member)
        now = Peaks(sizes[True], sizes[False], sum(sizes.values()))
        return Peaks(*map(max, self, now))


def is_java(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/comm").read_text().strip() == "java"
    except OSError:
        return False


def build(what: list[str], workers: int, jar: str, java: list[str], output: Path) -> tuple[float, Peaks]:
    """Returns the seconds of a build and its peaks."""
    engine = [f"--flink_job_server_jar={jar}", *(f"--job_server_jvm_properties={one}" for one in java)]
    command = ["build", *what, "--output", str(output), "--runner", "flink", "--workers", str(workers), "--", *engine]
    begin, peaks = time.monotonic(), Peaks()
    with (output.parent / "log").open("wb") as log:
        process = subprocess.Popen([sys.executable, "-m", "conceptloom", *command], stdout=log, stderr=log)
        while process.poll() is None:
            peaks = peaks.with_now(process.pid)
            time.sleep(0.1)
    if process.returncode:
        raise SystemExit((output.parent / "log").read_text(errors="replace")[-2000:])
    return time.monotonic() - begin, peaks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jar", required=True, help="the job server's jar, or a directory of jars")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--java", action="append", default=[], help="an option of the JVM")
    parser.add_argument("what", nargs="+", help="the recipe and its inputs")
    options = parser.parse_args()
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    print(f"{machine / 2**30:.1f} GiB in the machine, {' '.join(options.java) or 'default options of Java'}")
    for workers in options.workers:
        with tempfile.TemporaryDirectory() as directory:
            seconds, peaks = build(options.what, workers, options.jar, options.java, Path(directory) / "build")
        java, python, both = (f"{size / 2**20:,.0f}" for size in peaks)
        print(f"{workers} tasks: {seconds:.0f} s, MiB at most: JVM {java}, Python {python}, both {both}", flush=True)


if __name__ == "__main__":
    main()
