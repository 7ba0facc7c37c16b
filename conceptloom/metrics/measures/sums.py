"""Scores that are functions of sums over units: what a corpus-level metric must keep in order to be resampled."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.metrics.base import Score

OfSums: TypeAlias = Callable[[Float64], Float64]
"""The value of each row of summed statistics: shape (rows, columns) -> (rows,)."""


@dataclass(frozen=True)
class SummedScore(Score):
    """A score with its sufficient statistics: `value` is `of_sums` of the sum of `sums`, shape (units, columns).

    A unit is what is drawn when the score is resampled: an item, or all lines of one concept set.
    """

    sums: Float64
    of_sums: OfSums


def total_score(name: str, sums: Float64, of_sums: OfSums, values: Float64 | None, signature: str) -> SummedScore:
    """The score whose value is `of_sums` of the column sums, which are summed exactly; nan without units."""
    total = np.array([[math.fsum(column) for column in sums.T]])
    value = float(of_sums(total)[0]) if len(sums) else math.nan
    return SummedScore(name, value, values, signature, sums=sums, of_sums=of_sums)


def average(name: str, values: Float64, signature: str, units: Sequence[int] | None = None) -> SummedScore:
    """The mean of the values that are not nan; `units` is the number of each item's unit (default: its own unit)."""
    known = ~np.isnan(values)
    rows = np.stack([np.where(known, values, 0.0), known.astype(np.float64)], axis=1)
    return total_score(name, rows if units is None else by_unit(rows, units), ratio, values, signature)


def by_unit(rows: Float64, units: Sequence[int]) -> Float64:
    """The rows (items, columns) summed by unit, shape (units, columns). Units are numbered from 0."""
    summed = np.zeros((max(units, default=-1) + 1, rows.shape[1]))
    np.add.at(summed, np.asarray(units, dtype=np.int64), rows)
    return summed


def ratio(sums: Float64) -> Float64:
    """The first column divided by the second; nan where that is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(sums[:, 1] > 0, sums[:, 0] / sums[:, 1], np.nan)


def summed(score: Score) -> SummedScore | None:
    """The score with its statistics; None where it cannot be resampled because its value is not the mean of its values.

    METEOR is such a metric: its value for a corpus is computed from counts that its program does not report.
    """
    if isinstance(score, SummedScore) or score.values is None:
        return score if isinstance(score, SummedScore) else None
    mean = average(score.name, score.values, score.signature)
    return mean if math.isclose(mean.value, score.value, rel_tol=1e-9, abs_tol=1e-9) else None
