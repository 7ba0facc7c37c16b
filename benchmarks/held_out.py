"""Compares the dev sets that each `quotas.rank` gives with the published dev sets, in the same corpus.

    python -m conceptloom build commongen --input … --conceptnet … --output BUILD --only ingest
    python -m conceptloom build commongen --input … --conceptnet … --output BUILD --only mine
    python benchmarks/held_out.py BUILD ../shared/data/en/commongen/commongen.dev.jsonl

Of the published sets those count that are among the mined ones. For each size: support, the percentile of the largest
degree (how frequent the most frequent concept is) and of the score among all mined sets of that size, at the quantiles
5, 25, 50, 75 and 95 %; the share of sets with one supporting caption, and of those in the top hundredth by score. The
largest distance between the distributions of support (Kolmogorov and Smirnov) is the last column.
"""

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa

from conceptloom.arrays.concept_sets import concept_sets, set_hashes
from conceptloom.arrays.lists import Lists
from conceptloom.arrays.types import Bool, Float64, Int64, Integers
from conceptloom.concepts import Quotas
from conceptloom.concepts.ranking import RANKS, rank
from conceptloom.manifest import read_manifest
from conceptloom.splits.assignment import TRAIN
from conceptloom.statistics.files import load_examples
from conceptloom.tasks.commongen.sample import MinedSets, distinct_sets

QUANTILES = (5, 25, 50, 75, 95)


def mined_sets(build: Path) -> pa.Table:
    """Returns all mined sets with scores."""
    stage = build / "stages" / "2-mine"
    manifest = read_manifest(str(stage))
    if manifest is None:
        raise SystemExit(f"{stage}: stage mine is not finished")
    sets = sum(manifest.summary["numbers"]["made"].values())
    mined, shards = MinedSets(str(stage), sets, ""), len(list(stage.glob("mined-*")))
    return pa.concat_tables(map(mined.scored, range(shards))).combine_chunks()


def published(path: str) -> Integers:
    """Returns the ids of the published sets."""
    sets = [sorted(set(one.concepts)) for one in load_examples(path)]
    return np.unique(set_hashes(concept_sets(pa.array(sets, pa.list_(pa.string())))))


def chosen_by(how: str, every: pa.Table, size: int) -> Bool:
    """Returns which sets become dev or test, shape (sets,), with the default quotas."""
    quotas = Quotas(rank=how)
    draws = quotas.draws(size, 0)
    once, by_score = distinct_sets(draws.of(every), draws.seed)
    splits = rank(once, quotas, draws.seed, by_score).splits
    return np.isin(every["set"].to_numpy(), once["set"].to_numpy()[splits != TRAIN])


def percentiles(values: Float64 | Int64, rows: Bool) -> Float64:
    """Returns where the values of some rows stand among all, 0 to 1."""
    return np.searchsorted(np.sort(values), values[rows], side="right") / len(values)


def distance(one: Int64, other: Int64) -> float:
    """Returns the largest difference between two distributions."""
    places = np.unique(np.concatenate((one, other)))
    below = [np.searchsorted(np.sort(values), places, side="right") / len(values) for values in (one, other)]
    return float(np.abs(below[0] - below[1]).max())


def line(name: str, every: pa.Table, rows: Bool, dev: Bool) -> str:
    """Returns the numbers of some sets of one size."""
    support, degree, score = (every[column].to_numpy() for column in ("support", "degree", "score"))
    own = " ".join(f"{value:4.0f}" for value in np.percentile(support[rows], QUANTILES))
    places = [percentiles(values, rows) for values in (degree, score)]
    shown = "  ".join(" ".join(f"{value:.2f}" for value in np.percentile(each, QUANTILES)) for each in places)
    single, top = (support[rows] == 1).mean(), (places[1] > 0.99).mean()
    far = distance(support[rows], support[dev])
    return f"  {name:<10}{rows.sum():>6}  {own}  {shown}  {single:.2f} {top:.3f}  {far:.2f}"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("published")
    parser.add_argument("--candidates", type=int, default=100_000)
    asked = parser.parse_args()
    every, known = mined_sets(asked.build), published(asked.published)
    sizes, is_dev = Lists.from_arrow(every["concepts"]).sizes, np.isin(every["set"].to_numpy(), known)
    chosen = {how: chosen_by(how, every, asked.candidates) for how in RANKS}
    for size in np.unique(sizes[is_dev]).tolist():
        own = pa.array(sizes == size)
        some, dev = every.filter(own), is_dev[sizes == size]
        print(f"{size} concepts: sets, support, percentile of the degree, of the score; support 1, top 1 %; distance")
        print(line("dev", some, dev, dev))
        for how, rows in chosen.items():
            if (mine := rows[sizes == size]).any():
                print(line(how, some, mine, dev))


if __name__ == "__main__":
    main()
