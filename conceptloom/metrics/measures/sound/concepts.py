"""Coverage and order: which concepts the rule of the data set finds in a prediction, and in which order."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.metrics.base import Blockwise, Item, Score, make_signature
from conceptloom.metrics.measures.sound.language import Language
from conceptloom.metrics.measures.sound.rows import WIDTH, reference_parts, with_references
from conceptloom.metrics.measures.sums import average

NAMES = ("Coverage", "Order/input", "Order/references")


@dataclass(frozen=True)
class Concepts(Blockwise):
    """Three scores x100.

    Coverage: the share of a set that is found in the prediction. Order/input: Spearman's rho between the order of the
    concepts in the set and in the prediction, where two or more are found; near 100, the input's order is copied.
    Order/references: the same between the prediction and each reference, mean over the references.
    """

    language: Language

    def rows(self, items: Sequence[Item]) -> Float64:
        """The number of references, then the three values; nan where a set or a sentence has too few concepts."""
        self.language.check(items)
        return with_references(items, len(NAMES), lambda: self._columns(items))

    def _columns(self, items: Sequence[Item]) -> list[tuple[float, float, float]]:
        texts = list(dict.fromkeys(text for item in items for text in (item.prediction, *item.references)))
        vocabulary = frozenset(concept for item in items for concept in item.concepts)
        found = dict(zip(texts, self.language.concepts(texts, vocabulary), strict=True))
        return [_values(item, found) for item in items]

    def scores(self, rows: Float64) -> list[Score]:
        """See `Blockwise`."""
        parts = {**reference_parts(rows), **self.language.concept_parts()}
        return [
            average(name, 100 * rows[:, WIDTH + at], make_signature(name, **parts)) for at, name in enumerate(NAMES)
        ]


def share(concepts: Sequence[str], found: Sequence[str]) -> float:
    """The share of distinct concepts that were found; nan without concepts.

    >>> share(["개", "달리"], ["달리", "풀"])
    0.5
    """
    wanted = set(concepts)
    return len(wanted.intersection(found)) / len(wanted) if wanted else np.nan


def order(first: Sequence[str], second: Sequence[str]) -> float:
    """Spearman's rho between the places of common elements, each counted once; nan for fewer than two of them.

    >>> order(["a", "b", "c"], ["c", "x", "b", "a"]), order(["a", "b"], ["b"])
    (-1.0, nan)
    """
    there = {concept: place for place, concept in enumerate(dict.fromkeys(second))}
    places = [there[concept] for concept in dict.fromkeys(first) if concept in there]
    size = len(places)
    if size < 2:
        return float("nan")
    ranks = np.argsort(np.argsort(places))
    return float(1 - 6 * np.sum((ranks - np.arange(size)) ** 2) / (size * (size**2 - 1)))


def _values(item: Item, found: dict[str, list[str]]) -> tuple[float, float, float]:
    own = [concept for concept in found[item.prediction] if concept in item.concepts]
    with_order = [rho for text in item.references if not np.isnan(rho := order(own, found[text]))]
    mean = float(np.mean(with_order)) if with_order else np.nan
    return share(item.concepts, own), order(item.concepts, own), mean
