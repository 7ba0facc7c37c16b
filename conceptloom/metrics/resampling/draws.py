"""Scores on seeded resamples of their units: drawn with replacement, or swapped between two systems.

A draw depends only on the seed and the number of units, so that all scores of a system, and of both systems that are
compared, are computed on the same resamples (Koehn 2004).
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.hashing import seed_for
from conceptloom.metrics.measures.sums import SummedScore


class _Draw(NamedTuple):
    """A kind of resample. Its name is a part of the seed: another name would give other resamples."""

    name: str
    weights: Callable[[np.random.Generator, int], Float64]
    """How often each unit counts in one draw, given the number of units: shape (units,)."""


def bootstrapped(scores: Sequence[SummedScore], seed: int, resamples: int) -> list[Float64]:
    """Each score on each resample of its units, drawn with replacement: shape (resamples,); nan without units."""
    drawn = _totals([score.sums for score in scores], seed, resamples, _BOOTSTRAP)
    return [
        score.of_sums(sums) if len(score.sums) else np.full(resamples, math.nan)
        for score, sums in zip(scores, drawn, strict=True)
    ]


def permuted(pairs: Sequence[tuple[SummedScore, SummedScore]], seed: int, resamples: int) -> list[Float64]:
    """The difference of each pair with units swapped at random between the two systems: shape (resamples,)."""
    moved = _totals([b.sums - a.sums for a, b in pairs], seed, resamples, _PERMUTATION)
    return [
        a.of_sums(a.sums.sum(axis=0) + shift) - b.of_sums(b.sums.sum(axis=0) - shift)
        if len(a.sums)
        else np.full(resamples, math.nan)
        for (a, b), shift in zip(pairs, moved, strict=True)
    ]


def _totals(parts: Sequence[Float64], seed: int, resamples: int, draw: _Draw) -> list[Float64]:
    """The weighted column sums of each part, (resamples, columns); parts with equally many units share each draw."""
    totals = [np.zeros((resamples, part.shape[1])) for part in parts]
    for units in sorted({len(part) for part in parts} - {0}):
        same = [at for at, part in enumerate(parts) if len(part) == units]
        together = np.hstack([parts[at] for at in same])
        generator = np.random.Generator(np.random.PCG64(int(seed_for(draw.name, seed))))
        drawn = np.array([draw.weights(generator, units) @ together for _ in range(resamples)])
        ends = np.cumsum([parts[at].shape[1] for at in same])[:-1]
        for at, total in zip(same, np.split(drawn, ends, axis=1), strict=True):
            totals[at] = total
    return totals


def _bootstrap(generator: np.random.Generator, units: int) -> Float64:
    return np.bincount(generator.integers(0, units, units), minlength=units).astype(np.float64)


def _permutation(generator: np.random.Generator, units: int) -> Float64:
    return generator.integers(0, 2, units).astype(np.float64)


_BOOTSTRAP = _Draw("bootstrap", _bootstrap)
_PERMUTATION = _Draw("permutation", _permutation)
