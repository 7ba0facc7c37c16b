"""Reports what the English analysis misses (by cause) and adds on the published pairs of CommonGen.

Usage: python benchmarks/english_analysis.py --data ../shared/data/en [--analyser spacy:en_core_web_sm]
"""

import argparse
import time
from pathlib import Path

from english_doubts import CAUSES, Doubts, Pair, measure_doubts

from conceptloom.conceptnet import read_vocabulary
from conceptloom.languages.english.analysers import DEFAULT, make_analyser
from conceptloom.languages.english.normalise import normalise
from conceptloom.statistics.files import load_examples

SHOWN = 8


def published_pairs(data: Path) -> list[Pair]:
    """Returns each published set paired with each of its normalised sentences."""
    examples = load_examples(str(data / "commongen/train_src.txt"))
    return [(example.concepts, normalise(text)) for example in examples for text in example.sentences]


def vocabulary_of(data: Path, pairs: list[Pair]) -> frozenset[str]:
    """Returns ConceptNet's single words and the published concepts."""
    names = read_vocabulary(str(data / "conceptnet/concept_names.txt"))
    return names | {concept for concepts, _ in pairs for concept in concepts}


def print_missed(doubts: Doubts) -> None:
    """Prints the table of causes, each with its most frequent concepts."""
    print(
        f"all concepts found in {100 * doubts.found_share:.2f} % of {doubts.pairs:,} pairs; missed concepts by cause:"
    )
    for cause, meaning in CAUSES.items():
        examples = [f"{concept} {n}" for (why, concept), n in doubts.missed.most_common() if why == cause]
        print(f"  {cause:<14}{doubts.causes[cause]:>5}  {meaning}: {', '.join(examples[:SHOWN])}")


def print_added(doubts: Doubts) -> None:
    """Prints the concepts found beyond the published sets, and the words that match several concepts."""
    matched = doubts.matched_words / doubts.pairs
    print(f"concepts beyond the published set: {doubts.beyond / doubts.pairs:.2f} a sentence")
    print(f"words a sentence: {doubts.words / doubts.pairs:.2f}, of which {matched:.2f} stand for a concept")
    print(f"  {100 * doubts.several_share:.2f} % of these with several:")
    for (word, concepts), count in doubts.several.most_common(2 * SHOWN):
        print(f"  {count:>6}  {word}: {', '.join(concepts)}")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="What the English analysis misses and adds, on published pairs.")
    parser.add_argument("--data", type=Path, required=True, help="folder with commongen/ and conceptnet/")
    parser.add_argument("--analyser", default=DEFAULT)
    asked = parser.parse_args()
    pairs = published_pairs(asked.data)
    vocabulary = vocabulary_of(asked.data, pairs)
    print(f"{len(vocabulary):,} concepts: ConceptNet's single words and the published ones")
    started = time.perf_counter()
    doubts = measure_doubts(pairs, make_analyser(asked.analyser, vocabulary))
    print(f"{len(pairs):,} sentences in {time.perf_counter() - started:.1f} s")
    print_missed(doubts)
    print_added(doubts)


if __name__ == "__main__":
    main()
