"""Measures the Korean preset: against a plain program for the same scores, and with a growing number of items.

    pip install 'conceptloom[evaluation]'
    python benchmarks/evaluate.py compare OUTPUTS [--runs 5]
    python benchmarks/evaluate.py command OUTPUTS [--runs 5]
    python benchmarks/evaluate.py growth PUBLISHED [--items 10000 40000 160000] [--runner direct] [--workers 2]

OUTPUTS contains references.jsonl and *_quantitative.txt, the published test set and its outputs; PUBLISHED contains
JSON lines in the data set's format. Times are CPU seconds of one process, the minimum over the runs, without starting
Python and importing packages; those of `growth` include reading and pairing the files. `command` measures the whole
command in a process of its own, from starting Python to the last file written, for one system and for two.

    plain    tests/metrics/korean_oracle.py: nltk, tables and loops; each score tokenizes the sentences that it needs
    once     the same, but each sentence is tokenized once and its morphemes are kept
    product  the preset; the first system also tokenizes the references, further systems reuse their morphemes
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "metrics"))

import korean_oracle as plain  # noqa: E402
import pyarrow as pa  # noqa: E402

from conceptloom.metrics import make_metrics  # noqa: E402
from conceptloom.metrics.evaluation import Evaluation, evaluate, rows_here, scores_of  # noqa: E402
from conceptloom.metrics.inputs.pairing import pair  # noqa: E402
from conceptloom.metrics.inputs.references import read_references  # noqa: E402
from conceptloom.metrics.measures import mecab_ko  # noqa: E402

PRESET = "korean-commongen"
T = TypeVar("T")


def seconds(work: Callable[[], T]) -> tuple[float, T]:
    begin = time.process_time()
    found = work()
    return time.process_time() - begin, found


def by_plain(items: pa.Table, morphs: Callable[[str], list[str]]) -> dict[str, float]:
    plain.morphs = morphs
    columns = zip(*(items[name].to_pylist() for name in ("prediction", "references", "concepts")))
    return plain.table([plain.of_item(text, several, "#".join(concepts)) for text, several, concepts in columns])


def by_product(items: pa.Table) -> dict[str, float]:
    metrics = make_metrics(PRESET)
    return {score.name: score.value for score in scores_of(metrics, items, rows_here(metrics, items))}


def compare(arguments: argparse.Namespace) -> None:
    against = read_references(str(arguments.outputs / "references.jsonl"))
    paths = sorted(map(str, arguments.outputs.glob("*_quantitative.txt")))
    first, other = (pair(against, path).items for path in paths[:2])
    cut = plain.morphs
    cut("가"), by_product(first.slice(0, 300))  # dictionaries and packages are loaded
    times: dict[str, list[float]] = {
        "plain": [],
        "once": [],
        "product, first system": [],
        "product, further system": [],
    }
    for _ in range(arguments.runs):
        mecab_ko._kept.clear()
        runs = (
            lambda: by_plain(first, cut),
            lambda: by_plain(first, cache(cut)),
            lambda: by_product(first),
            lambda: by_product(other),
        )
        results = [seconds(run) for run in runs]
        for name, (spent, _) in zip(times, results):
            times[name].append(spent)
        scores = [found for _, found in results[:3]]
        assert all(abs(one[name] - scores[0][name]) < 1e-9 for one in scores for name in plain.NAMES), scores
    for name, spent in times.items():
        print(f"{name:<25}{min(spent):7.3f} s   plain takes {min(times['plain']) / min(spent):5.1f} times as long")


def command(arguments: argparse.Namespace) -> None:
    paths = sorted(map(str, arguments.outputs.glob("*_quantitative.txt")))
    for some in (paths[:1], paths[:2]):
        found = [spent_by_command(str(arguments.outputs / "references.jsonl"), some) for _ in range(arguments.runs + 1)]
        # The first run compiles and warms the disk's cache.
        spent = sorted(found[1:])
        print(f"{len(some)} system(s): {spent[len(spent) // 2]:.2f} CPU s (median; {spent[0]:.2f} to {spent[-1]:.2f})")


def spent_by_command(references: str, predictions: list[str]) -> float:
    """Returns the CPU seconds, of user and system, that the command takes with its defaults."""
    with tempfile.TemporaryDirectory() as output:
        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        options = ["--preset", PRESET, "--references", references, "--output", output, "--predictions", *predictions]
        run = [sys.executable, "-m", "conceptloom", "evaluate", *options]
        subprocess.run(run, cwd=output, check=True, capture_output=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime - begin.ru_utime + end.ru_stime - begin.ru_stime


def mixed(sentences: list[str], count: int) -> Iterator[str]:
    """Yields sentences made of the first half of one and the second half of another: nearly all differ."""
    draw = random.Random(7)
    halves = [text.split() for text in sentences]
    for _ in range(count):
        left, right = draw.choices(halves, k=2)
        yield " ".join([*left[: len(left) // 2 + 1], *right[len(right) // 2 :]])


def growth(arguments: argparse.Namespace) -> None:
    lines = [json.loads(line) for path in sorted(arguments.published.glob("*.jsonl")) for line in path.open("rb")]
    sentences = [line["scene"] if isinstance(line["scene"], str) else line["scene"][0] for line in lines]
    for count in arguments.items:
        with tempfile.TemporaryDirectory() as directory:
            references, predictions = Path(directory, "references.jsonl"), Path(directory, "predictions.txt")
            made = mixed(sentences, 4 * count)
            with references.open("w", encoding="utf-8") as sets, predictions.open("w", encoding="utf-8") as outputs:
                for number in range(count):
                    concepts = lines[number % len(lines)]["concept-set"]
                    row = {"concept-set": concepts, "scene": [next(made) for _ in range(3)]}
                    sets.write(json.dumps(row, ensure_ascii=False) + "\n")
                    outputs.write(next(made) + "\n")
            clock = time.perf_counter()
            spent, found = seconds(lambda p=(references, predictions): score(*map(str, p), arguments))
            wall = time.perf_counter() - clock
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            values = " ".join(f"{one.value!r}" for one in found.systems[0].scores[:2])
            times = f"{wall:8.1f} s ({spent:.1f} s of this process), {1e6 * wall / count:6.1f} us each"
            print(f"{count:>9,} items {times}, peak {peak:,.0f} MiB; {values}", flush=True)


def score(references: str, predictions: str, arguments: argparse.Namespace) -> Evaluation:
    if arguments.runner is None:
        return evaluate(PRESET, {}, references, "test", [predictions])
    from conceptloom.pipelines.evaluate import RowsByRunner
    from conceptloom.runners import RUNNERS
    from conceptloom.tasks.evaluate import ScoreShard

    with tempfile.TemporaryDirectory() as directory, RUNNERS[arguments.runner].open(arguments.workers, ()) as opened:
        rows = RowsByRunner(opened, ScoreShard(PRESET, (), directory + "/work"))
        return evaluate(PRESET, {}, references, "test", [predictions], rows_of_items=rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("compare")
    one.add_argument("outputs", type=Path)
    one.add_argument("--runs", type=int, default=5)
    one.set_defaults(run=compare)
    three = commands.add_parser("command")
    three.add_argument("outputs", type=Path)
    three.add_argument("--runs", type=int, default=5)
    three.set_defaults(run=command)
    two = commands.add_parser("growth")
    two.add_argument("published", type=Path)
    two.add_argument("--items", type=int, nargs="+", default=[10_000, 40_000, 160_000])
    two.add_argument("--runner")
    two.add_argument("--workers", type=int)
    two.set_defaults(run=growth)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
