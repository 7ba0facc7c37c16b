"""Confidence intervals of scores, and tests whether two systems differ: paired bootstrap and permutation."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.errors import InputError
from conceptloom.metrics.base import Score
from conceptloom.metrics.measures.sums import SummedScore, summed
from conceptloom.metrics.resampling.draws import bootstrapped, permuted

RESAMPLES = 1000
CONFIDENCE = 0.95
SIGNIFICANT = 0.05
"""The corrected p-value below which a difference is marked."""


class Interval(NamedTuple):
    """A percentile interval in the scale of the score."""

    low: float
    high: float


class Comparison(NamedTuple):
    """Two systems by one metric: `difference` is first minus second, in the score's scale; p-values are two-sided.

    `bootstrap_p` comes from the paired bootstrap with its differences shifted to a mean of 0 (sacrebleu centres their
    absolute values and so gets about half of it), `permutation_p` from swapping the systems' sentences at random.
    `bootstrap_holm` and `permutation_holm` are corrected for the number of systems compared with the same one (`holm`).
    """

    name: str
    difference: float
    interval: Interval
    bootstrap_p: float
    permutation_p: float
    first: str = ""
    second: str = ""
    bootstrap_holm: float = math.nan
    permutation_holm: float = math.nan


def intervals(
    scores: Sequence[Score], seed: int = 1, resamples: int = RESAMPLES, confidence: float = CONFIDENCE
) -> dict[str, Interval | None]:
    """The interval of each score by the score's name; None where it cannot be resampled (see `sums.summed`)."""
    able = [one for score in scores if (one := summed(score)) is not None]
    found = dict(zip((one.name for one in able), bootstrapped(able, seed, resamples), strict=True))
    return {score.name: _interval(found[score.name], confidence) if score.name in found else None for score in scores}


def compare(
    first: Sequence[Score],
    second: Sequence[Score],
    seed: int = 1,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> list[Comparison]:
    """Compares two systems by every metric that both have and that can be resampled, in the first system's order.

    Raises InputError where they were not scored on the same number of units.
    """
    others = {score.name: summed(score) for score in second}
    pairs = [(a, b) for one in first if (a := summed(one)) is not None and (b := others.get(one.name)) is not None]
    for a, b in pairs:
        _require_same_units(a, b)
    drawn = zip(
        *(bootstrapped(side, seed, resamples) for side in ([a for a, _ in pairs], [b for _, b in pairs])), strict=True
    )
    swapped = permuted(pairs, seed, resamples)
    return [
        _compared(a, b, x - y, null, confidence) for (a, b), (x, y), null in zip(pairs, drawn, swapped, strict=True)
    ]


def _require_same_units(a: SummedScore, b: SummedScore) -> None:
    if len(a.sums) != len(b.sums):
        raise InputError(
            f"{a.name}: one system has {len(a.sums)} scored units, the other {len(b.sums)}; "
            "compare predictions for the same lines"
        )


def _compared(a: SummedScore, b: SummedScore, differences: Float64, swapped: Float64, confidence: float) -> Comparison:
    observed = a.value - b.value
    shifted = differences - differences.mean()
    interval = _interval(differences, confidence)
    return Comparison(a.name, observed, interval, p_value(shifted, observed), p_value(swapped, observed))


def p_value(null: Float64, observed: float) -> float:
    """The share of a null distribution that is at least as far from 0 as the observed value, which counts too.

    >>> p_value(np.array([0.0, 1.0, -3.0]), 2.0)
    0.5
    """
    if math.isnan(observed) or not len(null):
        return math.nan
    # Swapping equal sentences gives the observed difference again, up to rounding.
    as_far = np.abs(null) >= abs(observed) - 1e-9 * max(1.0, abs(observed))
    return float((np.count_nonzero(as_far) + 1) / (len(null) + 1))


def holm(ps: Sequence[float]) -> list[float]:
    """The p-values of several tests corrected by Holm's step-down method (1979); nan stays nan and does not count.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected, largest = [math.nan] * len(ps), 0.0
    order = sorted((at for at, p in enumerate(ps) if not math.isnan(p)), key=lambda at: ps[at])
    for place, at in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - place) * ps[at]))
        corrected[at] = largest
    return corrected


def _interval(drawn: Float64, confidence: float) -> Interval:
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return Interval(math.nan, math.nan)
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))
