"""Simulates how unevenly the rows of a very large corpus fall into buckets, from the concepts of a real build.

    python benchmarks/skew.py BUILD [--sentences 1e6 1e7 1e8 1e9] [--seed 0]

BUILD is the directory of a build whose stages ingest and select are finished. Counts each concept, and each pair of
concepts of selected sentences; fits Zipf's law (frequency by rank) and Heaps' law (distinct concepts, by rarefaction of
the build); and distributes the rows of larger corpora to the buckets that they would have:

- a frequent concept keeps its share of sentences; each shard sends a Poisson number of them, capped;
- the rows of rare concepts, known and new, are so many and so small that they spread evenly;
- the number of selected sentences, and so of their pairs, grows with the distinct concepts.

For the shuffles of select (direct, and in two steps with a cap by groups of shards) and of split (pairs), prints the
total rows, the mean and the fullest bucket, and the largest key; then the number of blocks with one step and two.
"""

import argparse
from itertools import combinations, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from conceptloom.arrays.types import Float64, Int64
from conceptloom.estimation.fits import filled
from conceptloom.estimation.growth import Growth, capped_total
from conceptloom.pipelines.build.inputs import bucket_count
from conceptloom.selection.routes import Routes

LIMIT, FREQUENT = 100, 8
TWO_HOLDERS = 2
"""A shard sends at most two of the sets that contain a pair: more are not needed."""


class Load(NamedTuple):
    """The rows of one shuffle: in total, in the fullest bucket, and of the largest key."""

    rows: float
    fullest: float
    largest: float


def columns(build: Path, pattern: str, *names: str) -> pa.Table:
    paths = sorted(build.glob(pattern))
    if not paths:
        raise SystemExit(f"{build} contains no {pattern}: give the directory of a finished build")
    return pa.concat_tables(pq.read_table(path, columns=list(names)) for path in paths)


def concept_counts(table: pa.Table) -> Int64:
    """Returns the number of sentences that contain each concept."""
    return np.asarray(pc.value_counts(pc.list_flatten(table["concepts"].combine_chunks())).field("counts"))


def pair_counts(table: pa.Table) -> Int64:
    """Returns the number of sentences that contain each pair of concepts."""
    lists = table["concepts"].combine_chunks()
    codes = pc.list_flatten(lists).dictionary_encode().indices.to_numpy().astype(np.int64)
    offsets = lists.offsets.to_numpy() - lists.offsets.to_numpy()[0]
    found = [
        (min(one, other) << 32) | max(one, other)
        for start, end in pairwise(offsets)
        for one, other in combinations(codes[start:end].tolist(), 2)
    ]
    return np.unique(np.array(found, dtype=np.int64), return_counts=True)[1]


def zipf(counts: Int64) -> float:
    """Returns the exponent of Zipf's law, fitted to ranks 10 to 10,000."""
    frequencies = np.sort(counts)[::-1][9:10_000]
    return float(-np.polyfit(np.log(np.arange(10, 10 + len(frequencies))), np.log(frequencies), 1)[0])


def heaps(counts: Int64) -> float:
    """Returns the exponent of Heaps' law at the size of the build."""
    growth = Growth.of(counts)
    return growth.once / growth.seen


def at_most(means: Float64, limit: int, seed: int) -> Float64:
    """Returns, for each mean, the mean of a Poisson number capped at `limit`, from 200 draws."""
    draws = np.random.default_rng(seed).poisson(means, (200, len(means)))
    return np.asarray(np.minimum(draws, limit).mean(axis=0))


def dealt(counts: Int64, times: float, parts: int, buckets: int, limit: int, seed: int) -> Load:
    """Returns the load if `parts` senders each send at most `limit` rows of a key, to buckets by the key's hash."""
    frequent = counts[counts >= FREQUENT]
    rows = parts * at_most(times * frequent / parts, limit, seed)
    total = parts * capped_total(counts, times / parts, limit)
    even = max(0.0, total - rows.sum()) / buckets
    home = np.random.default_rng(seed).integers(0, buckets, len(rows))
    filled_with = np.bincount(home, rows, buckets) + even
    return Load(even * buckets + rows.sum(), filled_with.max(), rows.max(initial=0))


def show(name: str, load: Load, buckets: int) -> None:
    mean = load.rows / buckets
    ratio = load.fullest / mean
    print(f"  {name:<34}{load.rows:>16,.0f}{mean:>13,.0f}{load.fullest:>13,.0f}{ratio:>7.2f}{load.largest:>13,.0f}")


def simulate(sentences: float, built: int, concepts: Int64, pairs: Int64, bytes_: float, seed: int) -> None:
    buckets = bucket_count(int(sentences * bytes_))
    times = sentences / built
    groups = Routes.among(buckets).groups
    print(f"\n{sentences:,.0f} sentences, {buckets:,} buckets" + (f", {groups} groups of shards" if groups else ""))
    print(f"  {'rows':<34}{'all':>16}{'mean':>13}{'fullest':>13}{'ratio':>7}{'largest key':>13}")
    straight = dealt(concepts, times, buckets, buckets, LIMIT, seed)
    show("select: postings, straight", straight, buckets)
    # The same corpus if buckets did not grow.
    small = -(-int(sentences * bytes_) // (4 << 20))
    if small > buckets:
        show(f"  with {small:,} buckets of 4 MiB", dealt(concepts, times, small, small, LIMIT, seed), small)
    if groups:
        show("select: capped by groups of shards", dealt(concepts, times, groups, buckets, LIMIT, seed), buckets)
    show("select: postings as they end", dealt(concepts, times, 1, buckets, LIMIT, seed), buckets)
    show("split: pairs", dealt(pairs, max(1.0, times) ** heaps(concepts), buckets, buckets, TWO_HOLDERS, seed), buckets)
    ways = {"straight": filled(straight.rows, buckets**2)}
    if groups:
        ways["in two steps"] = 2 * filled(straight.rows, buckets * groups)
    if small > buckets:
        ways[f"straight with {small:,} buckets"] = filled(straight.rows, small**2)
    print("  blocks of postings: " + ", ".join(f"{name} {number:,.0f}" for name, number in ways.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--sentences", type=float, nargs="+", default=[1e6, 1e7, 1e8, 1e9])
    parser.add_argument("--bytes", type=float, default=66, help="bytes of a sentence")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    table = columns(options.build, "stages/1-ingest/sentences-*.parquet", "concepts")
    concepts = concept_counts(table)
    pairs = pair_counts(columns(options.build, "stages/2-select/sentences-*.parquet", "concepts"))
    print(
        f"{len(table):,} sentences, {len(concepts):,} concepts {concepts.sum():,} times: Zipf {zipf(concepts):.2f}, "
        f"Heaps {heaps(concepts):.2f}; the most frequent is in {concepts.max() / len(table):.1%} of all sentences"
    )
    print(f"the selected ones hold {len(pairs):,} pairs {pairs.sum():,} times; the most frequent {pairs.max():,} times")
    for sentences in options.sentences:
        if sentences >= len(table) / 2:
            simulate(sentences, len(table), concepts, pairs, options.bytes, options.seed)


if __name__ == "__main__":
    main()
