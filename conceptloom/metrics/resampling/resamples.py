"""Scores on resamples of their units, seeded.

Every draw depends on the seed and the number of units alone, so that all scores of a system, and both of two systems,
are computed on the same resamples (Koehn 2004).
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from conceptloom.hashing import seed_for
from conceptloom.metrics.measures.sums import Floats, SummedScore

Weights = Callable[[np.random.Generator, int], Floats]
"""How often each unit counts in one draw: shape (units,)."""


def draws(scores: Sequence[SummedScore], seed: int, resamples: int) -> list[Floats]:
    """Each score on each resample of its units, drawn with replacement: shape (resamples,); nan without units."""
    drawn = _totals([score.sums for score in scores], seed, resamples, _bootstrap)
    return [
        score.of_sums(sums) if len(score.sums) else np.full(resamples, math.nan)
        for score, sums in zip(scores, drawn, strict=True)
    ]


def permuted(pairs: Sequence[tuple[SummedScore, SummedScore]], seed: int, resamples: int) -> list[Floats]:
    """The differences of each pair, each unit's results swapped between the two at random: shape (resamples,)."""
    moved = _totals([b.sums - a.sums for a, b in pairs], seed, resamples, _permutation)
    return [
        a.of_sums(a.sums.sum(axis=0) + shift) - b.of_sums(b.sums.sum(axis=0) - shift)
        if len(a.sums)
        else np.full(resamples, math.nan)
        for (a, b), shift in zip(pairs, moved, strict=True)
    ]


def _totals(parts: Sequence[Floats], seed: int, resamples: int, weights: Weights) -> list[Floats]:
    """The weighted column sums of each part, (resamples, columns): parts of as many units share each draw."""
    totals = [np.zeros((resamples, part.shape[1])) for part in parts]
    for units in sorted({len(part) for part in parts} - {0}):
        same = [at for at, part in enumerate(parts) if len(part) == units]
        together = np.hstack([parts[at] for at in same])
        generator = np.random.Generator(np.random.PCG64(int(seed_for(weights.__name__.strip("_"), seed))))
        drawn = np.array([weights(generator, units) @ together for _ in range(resamples)])
        ends = np.cumsum([parts[at].shape[1] for at in same])[:-1]
        for at, total in zip(same, np.split(drawn, ends, axis=1), strict=True):
            totals[at] = total
    return totals


def _bootstrap(generator: np.random.Generator, units: int) -> Floats:
    return np.bincount(generator.integers(0, units, units), minlength=units).astype(np.float64)


def _permutation(generator: np.random.Generator, units: int) -> Floats:
    return generator.integers(0, 2, units).astype(np.float64)
