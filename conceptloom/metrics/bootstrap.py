"""How sure a score is, and whether two systems differ: seeded bootstrap and permutation over units.

Every draw depends on the seed and the number of units alone, so that all scores of a system, and both of two systems,
are computed on the same resamples (Koehn 2004).
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from conceptloom.errors import InputError
from conceptloom.hashing import seed_for
from conceptloom.metrics.base import Score
from conceptloom.metrics.sums import Floats, SummedScore, summed

RESAMPLES = 1000
CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A percentile interval, in the score's own scale."""

    low: float
    high: float


class Comparison(NamedTuple):
    """Two systems by one metric: `difference` is first minus second, in the score's scale; p-values are two-sided.

    `bootstrap_p` comes from the paired bootstrap, its differences shifted to a mean of 0 (sacrebleu centres their
    absolute values, which is about half of it); `permutation_p` from swapping the two systems' sentences at random.
    """

    name: str
    difference: float
    interval: Interval
    bootstrap_p: float
    permutation_p: float


def intervals(
    scores: Sequence[Score], seed: int = 1, resamples: int = RESAMPLES, confidence: float = CONFIDENCE
) -> dict[str, Interval | None]:
    """The interval of each score by its name; None where a score cannot be resampled (see `summed`)."""
    found = {score.name: summed(score) for score in scores}
    return {name: score and _interval(draws(score, seed, resamples), confidence) for name, score in found.items()}


def compare(
    first: Sequence[Score],
    second: Sequence[Score],
    seed: int = 1,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> list[Comparison]:
    """Two systems by every metric that both have and that can be resampled, in the first's order.

    Raises InputError where they were not scored on the same number of units.
    """
    others = {score.name: summed(score) for score in second}
    pairs = [(summed(score), others.get(score.name)) for score in first]
    return [_compared(a, b, seed, resamples, confidence) for a, b in pairs if a is not None and b is not None]


def draws(score: SummedScore, seed: int, resamples: int) -> Floats:
    """The score on each resample of its units, drawn with replacement: shape (resamples,)."""
    if not len(score.sums):
        return np.full(resamples, math.nan)
    drawn = [counts @ score.sums for counts in _bootstrap_counts(len(score.sums), seed, resamples)]
    return score.of_sums(np.array(drawn).reshape(resamples, -1))


def permuted(first: SummedScore, second: SummedScore, seed: int, resamples: int) -> Floats:
    """The differences of the two systems, each unit's results swapped between them at random: shape (resamples,)."""
    moved = second.sums - first.sums
    generator = _generator("permutation", seed)
    shift = np.array([(generator.integers(0, 2, len(moved)) @ moved) for _ in range(resamples)])
    return first.of_sums(first.sums.sum(axis=0) + shift) - second.of_sums(second.sums.sum(axis=0) - shift)


def _compared(a: SummedScore, b: SummedScore, seed: int, resamples: int, confidence: float) -> Comparison:
    if len(a.sums) != len(b.sums):
        raise InputError(
            f"{a.name}: one system has {len(a.sums)} scored units, the other {len(b.sums)}; "
            "compare predictions for the same lines"
        )
    observed = a.value - b.value
    differences = draws(a, seed, resamples) - draws(b, seed, resamples)
    return Comparison(
        a.name,
        observed,
        _interval(differences, confidence),
        p_value(differences - differences.mean(), observed),
        p_value(permuted(a, b, seed, resamples), observed),
    )


def p_value(null: Floats, observed: float) -> float:
    """The share of a null distribution that is as far from 0 as what was observed, the observed one counted too.

    >>> p_value(np.array([0.0, 1.0, -3.0]), 2.0)
    0.5
    """
    if math.isnan(observed) or not len(null):
        return math.nan
    # A swap of equal sentences gives the observed difference again, but for rounding.
    as_far = np.abs(null) >= abs(observed) - 1e-9 * max(1.0, abs(observed))
    return float((np.count_nonzero(as_far) + 1) / (len(null) + 1))


def _interval(drawn: Floats, confidence: float) -> Interval:
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return Interval(math.nan, math.nan)
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def _bootstrap_counts(units: int, seed: int, resamples: int) -> Iterator[Floats]:
    generator = _generator("bootstrap", seed)
    for _ in range(resamples):
        yield np.bincount(generator.integers(0, units, units), minlength=units).astype(np.float64)


def _generator(name: str, seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(int(seed_for(name, seed))))
