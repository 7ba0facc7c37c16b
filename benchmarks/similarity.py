"""Measures Spearman's correlation of each scorer with human judgement, against the figures of the model card.

Usage: python benchmarks/similarity.py --data ../shared/data/ko/similarity
"""

import argparse
import json
from pathlib import Path

import numpy as np
import pyarrow as pa

from conceptloom.arrays.types import Float64
from conceptloom.languages.korean.taggers.mecab import MecabTagger
from conceptloom.similarity import Scorer, count_frequencies, make_scorer

Pairs = tuple[list[str], list[str], Float64]
FILES = {"KorSTS dev": "sts-dev.tsv", "KorSTS test": "sts-test.tsv", "KLUE-STS dev": "klue-sts-v1.1_dev.json"}
TARGETS = {"static-ko": (75.0, 68.0, 50.0), "tfidf": (75.4, 66.2, 43.6)}
"""The figures to reach (static-ko) or as measured when the method was chosen (tfidf)."""


def read_pairs(path: Path) -> Pairs:
    """Returns first sentences, second sentences and human scores (0 to 5) of a KorSTS or KLUE-STS file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        rows = [(r["sentence1"], r["sentence2"], r["labels"]["real-label"]) for r in json.loads(text)]
    else:
        fields = [line.split("\t") for line in text.split("\n")[1:] if line]
        rows = [(row[5], row[6], float(row[4])) for row in fields]
    return [row[0] for row in rows], [row[1] for row in rows], np.array([row[2] for row in rows])


def as_sentences(texts: list[str]) -> pa.RecordBatch:
    """Returns the texts' content morphemes, as the column that scorers read."""
    tagged = MecabTagger().tokens(texts)
    morphemes = [[m for token in tokens for m in token.morphemes] for tokens in tagged]
    return pa.RecordBatch.from_arrays([pa.array(morphemes, pa.list_(pa.string()))], names=["morphemes"])


def pair_similarities(scorer: Scorer, sentences: pa.RecordBatch) -> Float64:
    """Returns the similarity of rows 2p and 2p + 1, shape (pairs,): the centrality of each in a posting of the two."""
    offsets = np.arange(0, len(sentences) + 1, 2)
    return scorer.centralities(scorer.encode(sentences), offsets)[::2]


def spearman(left: Float64, right: Float64) -> float:
    """Returns Spearman's rank correlation: Pearson's on ranks, with ties at their mean rank."""
    return float(np.corrcoef(mean_ranks(left), mean_ranks(right))[0, 1])


def mean_ranks(values: Float64) -> Float64:
    """Returns ranks from 0; equal values have the mean of their ranks."""
    _, inverse, counts = np.unique(np.round(values, 9), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts + 1) / 2)[inverse])


def correlation(name: str, pairs: Pairs) -> float:
    """Returns Spearman x100 of scorer `name`; idf, if needed, is computed from the sentences themselves."""
    first, second, gold = pairs
    sentences = as_sentences([text for both in zip(first, second, strict=True) for text in both])
    chosen = make_scorer(name)
    scorer = chosen.open(count_frequencies(sentences) if chosen.wants_frequencies else None)
    return 100 * spearman(pair_similarities(scorer, sentences), gold)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Spearman x100 of the scorers on KorSTS and KLUE-STS.")
    parser.add_argument("--data", type=Path, required=True, help="folder with the files of KorSTS and KLUE-STS")
    data = parser.parse_args().data
    print(f"{'scorer':<12}" + "".join(f"{name:>24}" for name in FILES))
    for scorer, targets in TARGETS.items():
        found = [correlation(scorer, read_pairs(data / file)) for file in FILES.values()]
        cells = (f"{value:.1f} (target {target:.1f})" for value, target in zip(found, targets, strict=True))
        print(f"{scorer:<12}" + "".join(f"{cell:>24}" for cell in cells))


if __name__ == "__main__":
    main()
