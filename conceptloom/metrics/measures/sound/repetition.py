"""Repetition: words and word pairs that occur twice in a sentence, and sentences that are predicted twice."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.hashing import text_hash
from conceptloom.metrics.base import Blockwise, Item, Score, make_signature
from conceptloom.metrics.measures.sound.language import Language
from conceptloom.metrics.measures.sound.rows import WIDTH, reference_parts, with_references
from conceptloom.metrics.measures.sums import average

_EXACT_BITS = 53
"""Integers of this many bits are exact as floats."""


@dataclass(frozen=True)
class Repetition(Blockwise):
    """Three scores x100, lower is better.

    Repetition-1 and -2: the share of a prediction's tokens (pairs of tokens) that occurred in it before, mean over
    predictions. Duplicates: the share of predictions that equal another item's prediction.
    """

    language: Language

    def rows(self, items: Sequence[Item]) -> Float64:
        """The number of references, the two shares, a hash of the prediction: shape (items, 4)."""
        cut = self.language.tokens([item.prediction for item in items])
        return with_references(items, 3, lambda: [_values(item.prediction, cut[item.prediction]) for item in items])

    def scores(self, rows: Float64) -> list[Score]:
        """See `Blockwise`."""
        _, place, counts = np.unique(rows[:, WIDTH + 2], return_inverse=True, return_counts=True)
        values = {
            "Repetition-1": rows[:, WIDTH],
            "Repetition-2": rows[:, WIDTH + 1],
            "Duplicates": (counts[place] > 1).astype(np.float64),
        }
        parts = {**reference_parts(rows), **self.language.token_parts()}
        return [average(name, 100 * column, make_signature(name, **parts)) for name, column in values.items()]


def repeated(things: Sequence[object]) -> float:
    """The share of things that occurred before; nan for none.

    >>> repeated(["a", "b", "a", "a"])
    0.5
    """
    return 1 - len(set(things)) / len(things) if things else float("nan")


def float_hash(text: str) -> float:
    """53 bits of a text's hash, exact as a float."""
    return float(text_hash(text) >> (64 - _EXACT_BITS))


def _values(prediction: str, tokens: list[str]) -> tuple[float, float, float]:
    return repeated(tokens), repeated(list(pairwise(tokens))), float_hash(prediction)
