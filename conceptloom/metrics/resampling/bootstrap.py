"""How sure a score is, and whether two systems differ: percentile intervals, paired bootstrap, permutation."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from conceptloom.errors import InputError
from conceptloom.metrics.base import Score
from conceptloom.metrics.measures.sums import Floats, SummedScore, summed
from conceptloom.metrics.resampling.resamples import draws, permuted

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
    able = [one for score in scores if (one := summed(score)) is not None]
    found = dict(zip((one.name for one in able), draws(able, seed, resamples), strict=True))
    return {score.name: _interval(found[score.name], confidence) if score.name in found else None for score in scores}


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
    pairs = [(a, b) for one in first if (a := summed(one)) is not None and (b := others.get(one.name)) is not None]
    for a, b in pairs:
        _require_same_units(a, b)
    drawn = zip(*(draws(side, seed, resamples) for side in ([a for a, _ in pairs], [b for _, b in pairs])), strict=True)
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


def _compared(a: SummedScore, b: SummedScore, differences: Floats, swapped: Floats, confidence: float) -> Comparison:
    observed = a.value - b.value
    shifted = differences - differences.mean()
    interval = _interval(differences, confidence)
    return Comparison(a.name, observed, interval, p_value(shifted, observed), p_value(swapped, observed))


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
