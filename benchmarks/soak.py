"""Kills builds with SIGKILL at random moments, resumes them, and compares their output with an undisturbed build.

    python benchmarks/soak.py CORPUS.txt [--builds 50] [--workers 2] [--seed 0]

Moments are drawn from the whole duration of a build. Most kills hit the main process, some a worker process. Each build
is killed up to four times, then left to finish. Prints how often each stage was hit. Exits with status 1 if any build
ends with different bytes, leaves a process, or leaves an unfinished file.
"""

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

STAGES = ("ingest", "select", "split", "publish")
MOST_KILLS = 4
WORKER_SHARE = 0.25


def start(corpus: Path, output: Path, workers: int) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "conceptloom", "build", "korean-commongen", "--input", f"captions={corpus}"]
    command += ["--output", str(output), "--workers", str(workers)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, start_new_session=True, **quiet)


def group(leader: int) -> list[int]:
    """Returns the live processes of a process group, except its leader."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split() if entry.name.isdigit() else []
        except OSError:
            continue
        if fields and int(fields[2]) == leader and fields[0] not in "ZX" and int(entry.name) != leader:
            found.append(int(entry.name))
    return found


def digests(directory: Path) -> dict[str, str]:
    """Returns a hash of each file except the manifests; timings in the report are ignored."""
    found = {}
    for path in sorted(path for path in directory.rglob("*") if path.is_file() and path.name != "MANIFEST.json"):
        data = path.read_bytes()
        if path.name == "report.json":
            data = json.dumps({key: value for key, value in json.loads(data).items() if key != "seconds"}).encode()
        found[str(path.relative_to(directory))] = hashlib.sha256(data).hexdigest()
    return found


def stage_at(output: Path) -> str:
    """Returns the first stage without a manifest."""
    done = {path.parent.name.partition("-")[2] for path in output.glob("stages/*/MANIFEST.json")}
    return next((stage for stage in STAGES if stage not in done), "after the last")


def kill(process: "subprocess.Popen[bytes]", moment: float, chance: random.Random) -> str | None:
    """Kills a build's process at a moment (seconds from now): `main`, `worker`, or None if it had ended before."""
    try:
        process.wait(moment)
        return None
    except subprocess.TimeoutExpired:
        pass
    workers = sorted(group(process.pid))
    victim = chance.choice(workers) if workers and chance.random() < WORKER_SHARE else process.pid
    os.kill(victim, signal.SIGKILL)
    process.wait(120)
    return "main" if victim == process.pid else "worker"


def orphans(leader: int) -> list[int]:
    """Returns the processes of a killed build that still run after ten seconds."""
    end = time.monotonic() + 10
    while (left := group(leader)) and time.monotonic() < end:
        time.sleep(0.05)
    return left


def disturbed(corpus: Path, output: Path, workers: int, seconds: float, chance: random.Random) -> Counter[str]:
    """Kills and resumes one build until it finishes; returns how often each stage was hit."""
    hits: Counter[str] = Counter()
    for _ in range(chance.randint(1, MOST_KILLS)):
        process = start(corpus, output, workers)
        victim = kill(process, chance.uniform(0, seconds), chance)
        if victim is not None:
            hits[f"{stage_at(output)} ({victim})"] += 1
        if left := orphans(process.pid):
            raise SystemExit(f"processes {left} outlive a killed build")
    process = start(corpus, output, workers)
    if process.wait(600):
        raise SystemExit(f"a resumed build in {output} ended with status {process.returncode}")
    return hits


def soak(corpus: Path, builds: int, workers: int, seed: int) -> int:
    chance = random.Random(seed)
    hits: Counter[str] = Counter()
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        begin = time.monotonic()
        whole = Path(scratch) / "whole"
        start(corpus, whole, workers).wait(600)
        seconds, expected = time.monotonic() - begin, digests(whole)
        for number in range(builds):
            output = Path(scratch) / f"build-{number}"
            hits += disturbed(corpus, output, workers, seconds, chance)
            found = digests(output)
            differing = sorted(name for name in expected.keys() | found if expected.get(name) != found.get(name))
            wrong += bool(differing)
            print(f"build {number + 1}: {len(found)} files, {len(differing)} differ {differing[:3] or ''}", flush=True)
    print(f"undisturbed build: {seconds:.1f} s, {len(expected)} files")
    for name, count in sorted(hits.items()):
        print(f"killed in {name}: {count}")
    print(f"{builds} builds, {hits.total()} kills, {wrong} ended with different bytes")
    return int(wrong > 0 or not expected)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--builds", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    sys.exit(soak(given.corpus, given.builds, given.workers, given.seed))
