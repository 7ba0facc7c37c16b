"""Fits: costs as straight lines of size; shares and rates as powers of size."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from conceptloom.arrays.types import Float64


class Line(NamedTuple):
    """A cost: a fixed part and a part for each row, neither negative."""

    fixed: float
    each: float

    @classmethod
    def through(cls, rows: Sequence[float], costs: Sequence[float]) -> "Line":
        """Returns the line with the least squares of relative errors through the costs at several sizes.

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
        """Returns the cost of that many rows."""
        return self.fixed + self.each * rows


def _least_squares(columns: Float64, values: Float64) -> Float64:
    return np.asarray(np.linalg.lstsq(columns.T, values, rcond=None)[0], dtype=np.float64)


def bytes_a_row(buckets: Sequence[int], rates: Sequence[float], wanted: int) -> float:
    """Returns the bytes per row for rows spread over `wanted` buckets, from the rates at other numbers of buckets.

    Rows compress better the more of their neighbours are in the same block, and a neighbour is in the same bucket with
    probability 1 / buckets: so the rate is fitted as a line in 1 / buckets.
    """
    chance = 1 / np.asarray(buckets, dtype=float)
    if len(set(buckets)) < 2:
        return float(np.mean(rates))
    slope, ends = np.polyfit(chance, np.asarray(rates, dtype=float), 1)
    return max(0.0, float(ends + slope / wanted))


def waning(sizes: Sequence[float], shares: Sequence[float], wanted: float) -> float:
    """Returns a share, 0 to 1, that changes by a power of the size, at the size `wanted`; from the last two sizes.

    >>> round(waning([1, 2, 4], [0.4, 0.2, 0.1], 8), 6)
    0.05
    """
    if shares[-1] <= 0 or shares[-2] <= 0 or sizes[-1] <= sizes[-2]:
        return min(1.0, max(0.0, shares[-1]))
    power = np.log(shares[-1] / shares[-2]) / np.log(sizes[-1] / sizes[-2])
    return float(min(1.0, shares[-1] * (wanted / sizes[-1]) ** power))


def by_power(sizes: Sequence[float], values: Sequence[float], wanted: float) -> float:
    """Returns a value at the size `wanted`: extrapolated from the last one, by a power fitted to all.

    >>> round(by_power([1, 2, 4], [3, 6, 12], 8), 6)
    24.0
    """
    if min(values) <= 0 or len(set(sizes)) < 2:
        return max(0.0, values[-1])
    power = np.polyfit(np.log(sizes), np.log(values), 1)[0]
    return float(values[-1] * (wanted / sizes[-1]) ** power)


def filled(rows: float, places: float) -> float:
    """Returns how many of `places` get any of `rows` placed at random: the blocks that a shuffle really carries."""
    return places * -float(np.expm1(-rows / places)) if places else 0.0
