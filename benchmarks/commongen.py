"""Measures the recipe commongen: its mining stage against other programs, and whole builds of growing size.

    python benchmarks/commongen.py DATA obvious [--captions 67389] [--runs 3]
    python benchmarks/commongen.py DATA growth [--captions 60000 240000 480000]
    python benchmarks/commongen.py DATA sampling [--captions 16000]

DATA is as for benchmarks/mining.py. All programs of `obvious` read the sentences of the same finished stage ingest;
both pipelines run on the same local runner in one process. They must agree on the number of sets and the sums of all
fields, so words need not be distinct (mine.distinct_words=false): the other programs lack that rule. Times (wall and
CPU) are those of the whole process, memory is its peak; the minimum of alternating runs counts.

    stage      the product: sends sentences as Arrow blocks to shards of lead concepts (transforms.commongen.mine)
    obvious    emits every set of every sentence, then CombinePerKey with a count, a set of words and a length
    numpy, polars    the plain programs of benchmarks/mining.py, which hold everything in memory

`growth` builds with the default settings. `sampling` mines some captions (16,000 have about 1.4 million sets), then
times the decisions of stages sample and split in one process: drawing and ranking 100,000 candidates by score, and
choosing the sets that train must not have. Reading the mined sets is included, writing the rejected ones is not.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import combinations
from pathlib import Path

import apache_beam as beam
import mining
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from mining import SIZES, Cost, texts_of

from conceptloom.hashing import text_id

MOST = 16
FIELDS = ["support", "words", "length"]


def write_captions(data: Path, captions: int, path: Path) -> int:
    """Writes up to that many distinct captions of all kinds, one per line; returns their number."""
    texts = dict.fromkeys(" ".join(text.split()) for text in texts_of(data))
    chosen = sorted(filter(None, texts), key=text_id)[:captions]
    path.write_text("".join(f"{text}\n" for text in chosen), encoding="utf-8")
    return len(chosen)


def measure(*arguments: object) -> tuple[Cost, str]:
    """Returns the cost of a command in a process of its own, and its output."""
    begin = time.monotonic()
    child = subprocess.Popen([sys.executable, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    said = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(map(str, arguments))} failed")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20), said


def build(data: Path, captions: Path, output: Path, *more: object) -> tuple[Cost, str]:
    """Runs a build, or a stage of one, on the command line in one process; returns its cost and output."""
    names = data / "conceptnet" / "concept_names.txt"
    inputs = ["--input", f"captions:lines={captions}", "--conceptnet", names]
    # Every lemma a concept: three times the sets.
    inputs += ["--set", "preset=every-lemma", "--set", f"mine.max_concepts={MOST}"]
    return measure("-m", "conceptloom", "build", "commongen", *inputs, "--workers", 1, "--output", output, *more)


def stage(source: Path, target: Path) -> tuple[int, ...]:
    from conceptloom.concepts import MiningRules
    from conceptloom.runners.direct import DirectRunner
    from conceptloom.tasks.commongen.mine import shards_of
    from conceptloom.transforms.commongen.mine import Mine

    tables = [pq.read_table(path, columns=["concepts"]) for path in sorted(source.glob("sentences-*"))]
    shards = shards_of(sum(map(len, tables)))
    rules = MiningRules(SIZES, 1, MOST, distinct_words=False)
    DirectRunner().run("mine", lambda p: p | Mine(rules, len(tables), shards, str(source), str(target)))
    return total_of(sums_of(pq.read_table(path, columns=FIELDS)) for path in target.glob("mined-*"))


class Combine(beam.CombineFn):
    """Support, words and length of a set."""

    def create_accumulator(self) -> tuple[int, set[str], int]:
        return 0, set(), 0

    def add_input(self, total: tuple[int, set[str], int], words: list[str]) -> tuple[int, set[str], int]:
        return total[0] + 1, total[1] | set(words), total[2] + len(words)

    def merge_accumulators(self, parts: Iterable[tuple[int, set[str], int]]) -> tuple[int, set[str], int]:
        support, words, length = 0, set(), 0
        for part in parts:
            support, words, length = support + part[0], words | part[1], length + part[2]
        return support, words, length

    def extract_output(self, total: tuple[int, set[str], int]) -> tuple[int, int, int]:
        return total[0], len(total[1]), total[2]


def sets_of(row: dict[str, list[str]]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    concepts = sorted(row["concepts"])
    for size in SIZES:
        for chosen in combinations(concepts, size):
            yield chosen, row["words"]


def obvious(source: Path, target: Path) -> tuple[int, ...]:
    from conceptloom.runners.direct import DirectRunner

    def construct(pipeline: beam.Pipeline) -> object:
        rows = pipeline | beam.io.ReadFromParquet(f"{source}/sentences-*", columns=["concepts", "words"])
        # The few sentences above the cap are excluded from both.
        sets = rows | beam.Filter(lambda row: len(row["concepts"]) <= MOST) | beam.FlatMap(sets_of)
        mined = sets | beam.CombinePerKey(Combine())
        sums = mined | beam.Map(lambda one: (1, *one[1])) | beam.CombineGlobally(total_of)
        return sums | beam.Map(lambda one: (target / "sums").write_text(json.dumps(one)))

    target.mkdir()
    DirectRunner().run("mine", construct)
    return tuple(json.loads((target / "sums").read_text()))


def plainly(program: str, source: Path, target: Path) -> tuple[int, ...]:
    from conceptloom.arrays.ids import pack_ids
    from conceptloom.concepts import by_rarity, by_spelling, code_sentences, count_terms

    found = pa.concat_tables(map(pq.read_table, sorted(source.glob("sentences-*"))))
    ids, concepts, words = (found[name].combine_chunks() for name in ("id", "concepts", "words"))
    terms = by_rarity(count_terms(concepts)), by_spelling(count_terms(words))
    target.mkdir()
    mining.write(target.with_suffix(".coded"), code_sentences(pack_ids(ids), concepts, words, *terms))
    mining.PROGRAMS[program](target.with_suffix(".coded"), target)
    return total_of(sums_of(mining.read(path)) for path in target.iterdir())


def sums_of(mined: pa.Table) -> tuple[int, ...]:
    """Returns the number of sets and the sum of each field."""
    return len(mined), *(pc.sum(mined[name]).as_py() or 0 for name in FIELDS)


def total_of(rows: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    total = [0, 0, 0, 0]
    for row in rows:
        total = [one + other for one, other in zip(total, row)]
    return tuple(total)


PROGRAMS: dict[str, Callable[[Path, Path], tuple[int, ...]]] = {
    "stage": stage,
    "obvious": obvious,
    "numpy": partial(plainly, "numpy"),
    "polars": partial(plainly, "polars"),
}


def compare(data: Path, captions: int, runs: int, folder: Path) -> None:
    lines = folder / "captions.txt"
    print(f"{write_captions(data, captions, lines):,} captions", flush=True)
    build(data, without_long(data, lines, folder), folder / "out", "--only", "ingest")
    found: dict[str, list[Cost]] = {program: [] for program in PROGRAMS}
    results = set()
    for number in range(runs):
        for program, costs in found.items():
            target = folder / f"{program}-{number}"
            cost, said = measure(__file__, "run", program, folder / "out" / "stages" / "1-ingest", target)
            costs.append(cost)
            results.add(said)
    if len(results) != 1:
        raise SystemExit(f"the programs differ: {results}")
    print("sets, sums of support, words, length:", results.pop().strip())
    best = {program: Cost(*map(min, zip(*costs))) for program, costs in found.items()}
    for program, cost in best.items():
        wall, processor, memory = (other / mine for mine, other in zip(best["stage"], cost))
        print(f"{program:<8}{cost}; {wall:.1f} / {processor:.1f} / {memory:.1f} times the stage's")


def without_long(data: Path, lines: Path, folder: Path) -> Path:
    """Returns the captions that the cap does not affect: the obvious pipeline has no cap."""
    build(data, lines, folder / "all", "--only", "ingest")
    kept = []
    for path in sorted((folder / "all" / "stages" / "1-ingest").glob("sentences-*")):
        table = pq.read_table(path, columns=["text", "concepts"])
        kept += table.filter(pc.less_equal(pc.list_value_length(table["concepts"]), MOST))["text"].to_pylist()
    lines.write_text("".join(f"{text}\n" for text in kept), encoding="utf-8")
    return lines


def growth(data: Path, captions: list[int], folder: Path) -> None:
    first: tuple[Cost, int] | None = None
    for wanted in captions:
        lines, output = folder / f"{wanted}.txt", folder / f"out-{wanted}"
        count = write_captions(data, wanted, lines)
        cost, said = build(data, lines, output, "--json")
        report = json.loads(said)
        first = first or (cost, count)
        wall, processor = (mine / count / (other / first[1]) for mine, other in zip(cost[:2], first[0]))
        sets = sum(report["mined"]["sets"].values())
        stages = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in report["seconds"].items())
        print(
            f"{count:,} captions, {sets:,} sets:{cost}; a caption takes {wall:.2f} / {processor:.2f} times as long\n"
            f"    {stages}",
            flush=True,
        )


def sampling(data: Path, captions: int, folder: Path) -> None:
    from conceptloom.concepts import Quotas
    from conceptloom.splits.train_sets import Final
    from conceptloom.tables import read_ipc, to_ipc
    from conceptloom.tasks.commongen.sample import Choose, MinedSets
    from conceptloom.tasks.commongen.split.judge import judged

    lines, output = folder / "captions.txt", folder / "out"
    write_captions(data, captions, lines)
    for name in ("ingest", "mine"):
        build(data, lines, output, "--only", name)
    manifest = json.loads((output / "stages" / "2-mine" / "MANIFEST.json").read_text())
    sets = sum(manifest["summary"]["numbers"]["made"].values())
    mined = MinedSets(str(output / "stages" / "2-mine"), sets, "")
    begin = time.monotonic()
    quotas = Quotas()
    draws = quotas.draws(100_000, 0)
    shards = range(len(list(output.glob("stages/2-mine/mined-*"))))
    drawn = Choose(mined, draws, quotas)([to_ipc(draws.merge(draws.of(mined.scored(shard)) for shard in shards))])
    middle = time.monotonic()
    verdicts = judged(read_ipc(drawn), Final())
    kept = pc.sum(pc.equal(verdicts["reason"], "")).as_py()
    print(f"{len(verdicts):,} of {sets:,} sets drawn and ranked in {middle - begin:.2f} s")
    print(f"{kept:,} of them kept in {time.monotonic() - middle:.2f} s")


def main() -> None:
    if sys.argv[1:2] == ["run"]:
        program, source, target = sys.argv[2:]
        print(*PROGRAMS[program](Path(source), Path(target)))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("what", choices=("obvious", "growth", "sampling"))
    parser.add_argument("--captions", type=int, nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.what == "obvious":
            compare(arguments.data, *(arguments.captions or [67_389])[:1], arguments.runs, Path(folder))
        elif arguments.what == "sampling":
            sampling(arguments.data, *(arguments.captions or [16_000])[:1], Path(folder))
        else:
            growth(arguments.data, arguments.captions or [60_000, 240_000, 480_000], Path(folder))


if __name__ == "__main__":
    main()
