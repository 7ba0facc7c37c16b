"""Measures the mining of concept sets: against plain programs with the same result, and with a growing corpus.

    pip install polars
    python benchmarks/mining.py DATA compare [--captions 67389] [--runs 5]
    python benchmarks/mining.py DATA growth [--captions 60000 240000 480000] [--runs 3]
    python benchmarks/mining.py DATA clashes [--captions 67389] [--runs 5]

DATA contains captions/, commongen/, comve/, stories/ and conceptnet/ with the published files. Each program runs in a
process of its own: it reads coded sentences from an Arrow file and writes all concept sets of 3, 4 and 5 concepts with
support, distinct words and total length to Arrow files. Times (wall, and CPU of all cores) are those of the whole
process, memory is its peak; the minimum of alternating runs counts. All programs must agree on the result.

    block    the product: sentences routed to shards of lead concepts as Arrow blocks, and mined shard by shard
    numpy    one tree of all sets in one process, without Arrow, shards or bounds on memory
    polars   combinations by numpy, all counting by Polars

`clashes` measures what it costs that distinct words of a sentence must supply the concepts of a set, in one process by
alternating runs, whose medians count: mining all shards of the same captions with their clashes and without, as the
lemma analyser finds them; and what finding the clashes adds to the analysis.
"""

import argparse
import csv
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from math import comb
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from conceptloom.arrays.types import Integers

SIZES = (3, 4, 5)
SETS_PER_SHARD = 1 << 20


def texts_of(data: Path) -> Iterator[str]:
    """Yields the published train captions first, then other captions, then plain sentences."""
    captions = data / "captions"
    yield from (data / "commongen" / "train_trg.txt").read_text("utf-8").splitlines()
    for line in (captions / "Flickr8k.token.txt").read_text("utf-8").splitlines():
        yield line.split("\t")[1]
    for path in sorted(captions.glob("train.*.en.gz")):
        yield from gzip.decompress(path.read_bytes()).decode().splitlines()
    for note in json.loads((captions / "captions_val2017.json").read_text("utf-8"))["annotations"]:
        yield note["caption"]
    for groups in json.loads((captions / "coco_val2014_refs.json").read_text("utf-8")).values():
        yield from (text for group in groups for text in group)
    for line in (captions / "conceptual_captions_val.tsv").read_text("utf-8").splitlines():
        yield line.split("\t")[0]
    for video in json.loads((captions / "activitynet_val_1.json").read_text("utf-8")).values():
        yield from video["sentences"]
    for path in (data / "comve" / "train.csv", data / "comve" / "dev.csv", data / "stories" / "cloze_val.csv"):
        with path.open(encoding="utf-8", newline="") as stream:
            yield from (cell for row in list(csv.reader(stream))[1:] for cell in row if cell.count(" ") > 2)


def chosen(data: Path, captions: int, mixed: bool) -> list[str]:
    """Returns up to that many distinct captions: the first ones, or some of all kinds."""
    from conceptloom.hashing import text_id

    texts = list(dict.fromkeys(filter(None, (text.strip() for text in texts_of(data)))))
    return sorted(texts, key=text_id)[:captions] if mixed else texts[:captions]


def code(texts: list[str], tokens: list[list[str]], concepts: list[list[str]], clashes: list[list[str]]) -> pa.Table:
    from conceptloom.arrays.ids import pack_ids
    from conceptloom.concepts import by_rarity, by_spelling, cap_concepts, code_sentences, count_terms
    from conceptloom.hashing import text_id

    words, sets, ambiguous = (pa.array(rows, pa.list_(pa.string())) for rows in (tokens, concepts, clashes))
    terms = by_rarity(count_terms(sets)), by_spelling(count_terms(words))
    ids = pack_ids(pa.array([text_id(text) for text in texts]))
    return cap_concepts(code_sentences(ids, sets, words, *terms, ambiguous), 16)[0]


def prepare(data: Path, captions: int, mixed: bool, path: Path) -> int:
    """Writes up to that many coded captions, with concepts looked up in the list of names; returns their number."""
    names = set((data / "conceptnet" / "concept_names.txt").read_text("utf-8").split("\n"))
    texts = chosen(data, captions, mixed)
    tokens = [re.findall("[a-z]+", text.lower()) for text in texts]
    write(path, code(texts, tokens, [[word for word in row if word in names] for row in tokens], [[]] * len(texts)))
    return len(texts)


def write(path: Path, table: pa.Table) -> None:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as stream:
        stream.write_table(table)


def read(path: Path) -> pa.Table:
    with pa.OSFile(str(path)) as source:
        return pa.ipc.open_file(source).read_all()


def instances(table: pa.Table) -> int:
    """Returns the number of sets in all sentences, with repetitions."""
    sizes = np.diff(table["concepts"].combine_chunks().offsets)
    return sum(comb(int(size), k) * int(count) for size, count in enumerate(np.bincount(sizes)) for k in SIZES)


def routes(coded: pa.Table) -> tuple[dict[int, list[bytes]], int]:
    """Returns the blocks of each shard of lead concepts, and the number of shards."""
    from conceptloom.concepts import route

    shards = max(1, instances(coded) // SETS_PER_SHARD)
    routed: dict[int, list[bytes]] = {}
    for start in range(0, len(coded), 8192):
        for shard, data in route(coded.slice(start, 8192), min(SIZES), shards):
            routed.setdefault(shard, []).append(data)
    return routed, shards


def block(source: Path, target: Path) -> None:
    from conceptloom.concepts import CODED, MINED, MiningRules, mine
    from conceptloom.tables import from_ipc

    routed, shards = routes(read(source))
    for shard in sorted(routed):
        found = mine(from_ipc(routed.pop(shard), CODED).to_batches(), MiningRules(SIZES), shard, shards)
        write(target / f"{shard}.arrow", pa.Table.from_batches(found, MINED))


def columns(table: pa.Table, name: str) -> tuple[Integers, Integers]:
    lists = table[name].combine_chunks()
    return lists.values.to_numpy().astype(np.int64), lists.offsets.to_numpy().astype(np.int64)


def ordered(keys: Integers) -> tuple[Integers, Integers]:
    """Returns (order, starts of runs) of keys; sorts keys and places packed into one word if they fit."""
    bits = len(keys).bit_length()
    if int(keys.max(initial=0)).bit_length() + bits > 63:
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
    else:
        packed = np.sort(keys << bits | np.arange(len(keys)))
        order, keys = packed & ((1 << bits) - 1), packed >> bits
    return order, np.flatnonzero(np.diff(keys, prepend=-1))


def spans(starts: Integers, counts: Integers) -> Integers:
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts)


def plain(source: Path, target: Path) -> None:
    table = read(source)
    concepts, offsets = columns(table, "concepts")
    words, word_offsets = columns(table, "words")
    length, n, v = table["length"].to_numpy(), int(concepts.max()) + 1, int(words.max()) + 1
    marks = np.random.default_rng(0).integers(1, 2**62, len(length))
    row = np.repeat(np.arange(len(length)), np.diff(offsets))
    place, parent, above = np.arange(len(concepts)), np.zeros(len(row), dtype=np.int64), np.empty((1, 0), np.int32)
    found = []
    for size in range(1, max(SIZES) + 1):
        order, starts = ordered(parent * n + concepts[place])
        first = order[starts]
        above = np.column_stack((above[parent[first]], concepts[place[first]].astype(np.int32)))
        row, place, support = row[order], place[order], np.diff(starts, append=len(order))
        if size in SIZES:
            found.append((above, support, row, np.add.reduceat(length[row].astype(np.int64), starts)))
        more = np.maximum(offsets[row + 1] - place - 1 - max(0, min(SIZES) - size - 1), 0)
        parent = np.repeat(np.repeat(np.arange(len(starts)), support), more)
        row, place = np.repeat(row, more), spans(place + 1, more)
    support, row = (np.concatenate([part[at] for part in found]) for at in (1, 2))
    starts = np.cumsum(support) - support
    per_row = np.diff(word_offsets)
    union = per_row[row[starts]]
    several = np.flatnonzero(support > 1)
    # Sets of the same sentences are recognised by a sum of 62-bit marks; a collision would show as a different result.
    marked = np.add.reduceat(marks[row], starts)[several]
    _, some, which = np.unique(marked, return_index=True, return_inverse=True)
    some = several[some]
    members = row[spans(starts[some], support[some])]
    group = np.repeat(np.repeat(np.arange(len(some)), support[some]), per_row[members])
    keys = np.sort(group * v + words[spans(word_offsets[members], per_row[members])])
    union[several] = np.bincount(keys[np.diff(keys, prepend=-1) != 0] // v)[which]
    at = 0
    for sets, counts, _, total in found:
        save(target, sets, counts, union[at : at + len(sets)], total)
        at += len(sets)


def save(target: Path, sets: Integers, support: Integers, union: Integers, length: Integers) -> None:
    lists = pa.FixedSizeListArray.from_arrays(pa.array(sets.ravel()), sets.shape[1]).cast(pa.list_(pa.int32()))
    names = ["concepts", "support", "words", "length"]
    table = pa.table([lists, *(pa.array(np.asarray(c).astype(np.int64)) for c in (support, union, length))], names)
    write(target / f"{sets.shape[1]}.arrow", table)


def polars(source: Path, target: Path) -> None:
    import polars as pl

    table = read(source)
    concepts, offsets = columns(table, "concepts")
    lists = pl.from_arrow(table.select(["words"])).with_row_index("row")
    exploded = lists.explode("words").filter(pl.col("words").is_not_null())
    per_row = exploded.group_by("row").agg(pl.len().alias("union"))
    length, counts = table["length"].to_numpy(), np.diff(offsets)
    marks = np.random.default_rng(0).integers(1, 2**62, len(length))
    grouped, members = [], []
    for size in SIZES:
        names = [f"c{at}" for at in range(size)]
        rows, cells = [], []
        for k in range(size, int(counts.max()) + 1):
            own = np.flatnonzero(counts == k)
            combos = np.array(list(combinations(range(k), size)))
            cells.append(concepts[offsets[own][:, None] + np.arange(k)].astype(np.int32)[:, combos].reshape(-1, size))
            rows.append(np.repeat(own, len(combos)))
        row, matrix = np.concatenate(rows), np.concatenate(cells)
        frame = pl.DataFrame({name: matrix[:, at] for at, name in enumerate(names)}).with_columns(
            row=pl.Series(row.astype(np.uint32)), length=pl.Series(length[row]), mark=pl.Series(marks[row])
        )
        sets = frame.group_by(names).agg(
            pl.len().alias("support"), pl.col("length").sum(), pl.col("mark").sum(), pl.col("row")
        )
        grouped.append((names, sets.drop("row").with_columns(row=sets["row"].list.first())))
        members.append(sets.filter(pl.col("support") > 1).select("mark", "row").unique("mark"))
    shared = pl.concat(members).unique("mark").explode("row").join(exploded, on="row")
    unions = shared.group_by("mark").agg(pl.col("words").n_unique().alias("shared"))
    for names, sets in grouped:
        whole = sets.join(per_row, on="row").join(unions, on="mark", how="left")
        whole = whole.select(
            pl.concat_list(names).alias("concepts"),
            "support",
            pl.when(pl.col("support") > 1).then("shared").otherwise("union").alias("words"),
            "length",
        )
        write(target / f"{len(names)}.arrow", whole.to_arrow())


PROGRAMS: dict[str, Callable[[Path, Path], None]] = {"block": block, "numpy": plain, "polars": polars}


def fingerprint(target: Path) -> tuple[int, ...]:
    """Returns counts, sums and a hash of all fields, independent of the order of the sets."""
    result = np.zeros(4, dtype=np.uint64)
    for path in sorted(target.iterdir()):
        table = read(path)
        lists = table["concepts"].combine_chunks()
        offsets, values = np.asarray(lists.offsets), lists.values.to_numpy().astype(np.uint64)
        with np.errstate(over="ignore"):
            key = np.add.reduceat((values + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) ** np.uint64(3), offsets[:-1])
            for name in ("support", "words", "length"):
                key = (key ^ (key >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) + table[name].to_numpy().astype(
                    "u8"
                )
            support = table["support"].to_numpy().astype(np.uint64)
            result += np.array([len(table), support.sum(), key.sum(), (key * key).sum()], dtype=np.uint64)
    return tuple(map(int, result))


class Cost(NamedTuple):
    """The cost of a whole process."""

    wall: float
    """Seconds."""
    processor: float
    """CPU seconds of all cores: steadier than wall time if other processes run."""
    memory: float
    """Peak memory in GiB."""

    def __str__(self) -> str:
        return f"{self.wall:8.2f} s wall{self.processor:8.2f} s processor{self.memory:7.2f} GiB"


def measure(program: str, source: Path) -> tuple[Cost, tuple[int, ...]]:
    """Returns the cost of one program in a process of its own, and the fingerprint of its result."""
    with tempfile.TemporaryDirectory() as target:
        begin = time.monotonic()
        child = subprocess.Popen([sys.executable, __file__, "run", program, str(source), target])
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"{program} failed")
        cost = Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20)
        return cost, fingerprint(Path(target))


def best(programs: list[str], source: Path, runs: int) -> dict[str, Cost]:
    """Returns the minimum cost of each program over alternating runs; exits if their results differ."""
    found: dict[str, list[Cost]] = {program: [] for program in programs}
    results = set()
    for _ in range(runs):
        for program in programs:
            cost, result = measure(program, source)
            found[program].append(cost)
            results.add(result)
    if len(results) != 1:
        raise SystemExit(f"the programs differ: {results}")
    sets, supports, *_ = results.pop()
    print(f"{sets:,} concept sets, sum of supports {supports:,}")
    return {program: Cost(*map(min, zip(*costs))) for program, costs in found.items()}


def compare(data: Path, captions: int, runs: int, folder: Path) -> None:
    source = folder / "coded.arrow"
    print(f"{prepare(data, captions, False, source):,} captions", flush=True)
    found = best(list(PROGRAMS), source, runs)
    for program, cost in found.items():
        wall, processor, memory = (mine / other for mine, other in zip(found["block"], cost))
        print(f"{program:<8}{cost}; block takes {wall:.2f} / {processor:.2f} / {memory:.2f} times as much")


def growth(data: Path, captions: list[int], runs: int, folder: Path) -> None:
    first = None
    for wanted in captions:
        source = folder / f"{wanted}.arrow"
        count = prepare(data, wanted, True, source)
        cost = best(["block"], source, runs)["block"]
        first = first or (cost, count)
        wall, processor = (mine / count / (other / first[1]) for mine, other in zip(cost[:2], first[0]))
        print(f"{count:,} captions:{cost}; a caption takes {wall:.2f} / {processor:.2f} times as long", flush=True)


def alternate(programs: dict[str, Callable[[], object]], runs: int) -> dict[str, tuple[float, float]]:
    """Returns the medians of wall and CPU seconds of each program over alternating runs, one more before them."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in programs}
    for _ in range(runs + 1):
        for name, program in programs.items():
            begin, processor = time.perf_counter(), time.process_time()
            program()
            found[name].append((time.perf_counter() - begin, time.process_time() - processor))
    return {name: (median(wall), median(cpu)) for name, runs in found.items() for wall, cpu in [zip(*runs[1:])]}


def clashes(data: Path, captions: int, runs: int) -> None:
    from conceptloom.conceptnet import read_vocabulary
    from conceptloom.corpus.clashes import clash_names
    from conceptloom.languages.english.analysers import LemmaAnalyser
    from conceptloom.languages.english.words import words

    texts = chosen(data, captions, True)
    analyser = LemmaAnalyser(read_vocabulary(str(data / "conceptnet" / "concept_names.txt")))
    matches, tokens = analyser.matches(texts), [words(text) for text in texts]
    found = [clash_names(row) for row in matches]
    print(f"{len(texts):,} captions, {sum(map(bool, found)):,} of them with {sum(map(len, found)):,} clashes")
    concepts = [list(dict.fromkeys(c for word in row for c in word)) for row in matches]
    tables = {"without": code(texts, tokens, concepts, [[]] * len(texts)), "with": code(texts, tokens, concepts, found)}
    routed = {name: routes(table) for name, table in tables.items()}
    for name, (blocks, shards) in routed.items():
        sets, supports = mined(blocks, shards)
        print(f"{name:<8}{sets:,} concept sets, sum of supports {supports:,}", flush=True)
    show("mining", alternate({name: partial(mined, *blocks) for name, blocks in routed.items()}, runs))
    analysis: dict[str, Callable[[], object]] = {
        "without": lambda: analyser.matches(texts),
        "with": lambda: [clash_names(row) for row in analyser.matches(texts)],
    }
    show("analysis", alternate(analysis, runs))


def mined(routed: dict[int, list[bytes]], shards: int) -> tuple[int, int]:
    """Returns the number of concept sets, and the sum of their supports."""
    from conceptloom.concepts import CODED, MiningRules, mine
    from conceptloom.tables import from_ipc

    sets = supports = 0
    for shard, blocks in routed.items():
        for batch in mine(from_ipc(blocks, CODED).to_batches(), MiningRules(SIZES), shard, shards):
            sets, supports = sets + len(batch), supports + int(batch["support"].to_numpy().sum())
    return sets, supports


def show(what: str, costs: dict[str, tuple[float, float]]) -> None:
    (wall, processor), (more_wall, more_processor) = costs["without"], costs["with"]
    ratios = f"{more_wall / wall:.3f} / {more_processor / processor:.3f}"
    print(f"{what:<9}{wall:.2f} s wall, {processor:.2f} s processor; with clashes {ratios} times as much", flush=True)


def main() -> None:
    if sys.argv[1:2] == ["run"]:
        program, source, target = sys.argv[2:]
        return PROGRAMS[program](Path(source), Path(target))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("what", choices=["compare", "growth", "clashes"])
    parser.add_argument("--captions", type=int, nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    if options.what == "clashes":
        return clashes(options.data, (options.captions or [67_389])[0], options.runs)
    with tempfile.TemporaryDirectory() as folder:
        if options.what == "compare":
            compare(options.data, (options.captions or [67_389])[0], options.runs, Path(folder))
        else:
            growth(options.data, options.captions or [60_000, 240_000, 480_000], options.runs, Path(folder))
    return None


if __name__ == "__main__":
    main()
