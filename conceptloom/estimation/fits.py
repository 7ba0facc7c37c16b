"""Costs as straight lines of what they grow with; shares and rates that change by a power."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from conceptloom.arrays.types import Float64


class Line(NamedTuple):
    """A cost: a fixed part, and a part for each row. Neither is negative."""

    fixed: float
    each: float

    @classmethod
    def through(cls, rows: Sequence[float], costs: Sequence[float]) -> "Line":
        """The line of least squares of relative errors through costs at several sizes.

        >>> Line.through([100, 200, 400], [11, 21, 41])
        Line(fixed=1.0, each=0.1)
        """
        at, of = np.asarray(rows, dtype=float), np.asarray(costs, dtype=float)
        weights = 1 / np.maximum(of, max(of.max(initial=0) * 1e-3, 1e-12))
        columns = np.stack((weights, at * weights))
        fixed, each = _least_squares(columns, of * weights)
        if fixed < 0:
            fixed, each = 0.0, _least_squares(columns[1:], of * weights)[0]
        if each < 0:
            fixed, each = _least_squares(columns[:1], of * weights)[0], 0.0
        return cls(round(float(fixed), 12), round(float(each), 12))

    def at(self, rows: float) -> float:
        """The cost of that many rows."""
        return self.fixed + self.each * rows


def _least_squares(columns: Float64, values: Float64) -> Float64:
    return np.asarray(np.linalg.lstsq(columns.T, values, rcond=None)[0], dtype=np.float64)


def bytes_a_row(buckets: Sequence[int], rates: Sequence[float], wanted: int) -> float:
    """The bytes a row takes when rows are spread over `wanted` buckets, from the rates at other numbers of buckets.

    Rows compress the better the more of their neighbours travel with them, and a neighbour is in the same bucket with a
    chance of 1 / buckets: so the rate is a line in that.
    """
    chance = 1 / np.asarray(buckets, dtype=float)
    if len(set(buckets)) < 2:
        return float(np.mean(rates))
    slope, ends = np.polyfit(chance, np.asarray(rates, dtype=float), 1)
    return max(0.0, float(ends + slope / wanted))


def waning(sizes: Sequence[float], shares: Sequence[float], wanted: float) -> float:
    """A share that wanes (or grows) by a power of the size, at the size `wanted`; from the last two sizes, 0 to 1.

    >>> round(waning([1, 2, 4], [0.4, 0.2, 0.1], 8), 6)
    0.05
    """
    if shares[-1] <= 0 or shares[-2] <= 0 or sizes[-1] <= sizes[-2]:
        return min(1.0, max(0.0, shares[-1]))
    power = np.log(shares[-1] / shares[-2]) / np.log(sizes[-1] / sizes[-2])
    return float(min(1.0, shares[-1] * (wanted / sizes[-1]) ** power))


def by_power(sizes: Sequence[float], values: Sequence[float], wanted: float) -> float:
    """A value that changes by a power of the size, at the size `wanted`: on from the last one, by the power of all.

    >>> round(by_power([1, 2, 4], [3, 6, 12], 8), 6)
    24.0
    """
    if min(values) <= 0 or len(set(sizes)) < 2:
        return max(0.0, values[-1])
    power = np.polyfit(np.log(sizes), np.log(values), 1)[0]
    return float(values[-1] * (wanted / sizes[-1]) ** power)


def filled(rows: float, places: float) -> float:
    """How many of `places` have any of `rows` that fall by chance: the blocks that a shuffle really carries."""
    return places * -float(np.expm1(-rows / places)) if places else 0.0
