"""How many distinct things a larger sample would hold: sentences among copies, concepts among words.

The numbers of things seen once (f1), twice (f2) and three times (f3) in a sample tell how fast new ones still appear
(I. J. Good and G. H. Toulmin, 1956; B. Efron and R. Thisted, 1976: how many words did Shakespeare know?). The curve
U(x) of the distinct things in x times the sample has the derivatives U'(1) = f1, U''(1) = -2 f2, U'''(1) = 6 f3. The
estimate is the only curve with these derivatives and

    U'(x) = f1 (1 + d (x - 1)) ** (-r / d),    r = 2 f2 / f1,    d = 3 f3 / f2 - r.

It includes the known laws: Heaps' power law and other mixtures by a gamma distribution (d > 0), things that are all
equally frequent (d = 0), and corpora in which each thing occurs a fixed number of times (d < 0).
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from conceptloom.arrays.types import Float64, Int64, Integers

Counts: TypeAlias = Int64
"""How often each thing was seen, shape (things,)."""

_NONE = 1e-9
_FREQUENT = 4
"""A thing seen this often in a sample will be seen in proportion in a larger one."""


class Growth(NamedTuple):
    """The distinct things of a sample, and how many of them were seen once, twice and three times."""

    seen: int
    once: int
    twice: int
    thrice: int

    @classmethod
    def of(cls, counts: Counts) -> "Growth":
        """Returns the growth of a sample from how often each thing was seen, shape (things,).

        >>> Growth.of(np.array([1, 5, 1, 2]))
        Growth(seen=4, once=2, twice=1, thrice=0)
        """
        seen = np.bincount(np.minimum(counts, 4), minlength=4)
        return cls(len(counts), *map(int, seen[1:4]))

    def distinct(self, times: float) -> float:
        """Returns how many distinct things a sample `times` as large would hold; `times` is at least 1."""
        return self.seen + self._new(times)

    def seen_often(self, times: float, most: int) -> Float64:
        """Returns how many things a sample `times` as large would hold exactly 1, 2, … `most` times; shape (most,)."""
        rate, bend = self._rate(), self._bend()
        base = 1 + bend * (times - 1)
        often = np.zeros(most)
        often[0] = times * self._speed(times)
        for place in range(1, most):
            more = max(0.0, rate + (place - 1) * bend)
            often[place] = often[place - 1] * times * more / ((place + 1) * base) if base > _NONE else 0
        return often

    def capped(self, times: float, limit: int) -> float:
        """Returns how often all things together would be seen, each counted at most `limit` times."""
        below = limit - np.arange(1, limit)
        return float(limit * self.distinct(times) - below @ self.seen_often(times, max(limit - 1, 1))[: limit - 1])

    def _rate(self) -> float:
        return 2 * self.twice / self.once if self.once else 0.0

    def _bend(self) -> float:
        return 3 * self.thrice / self.twice - self._rate() if self.twice else 0.0

    def _speed(self, times: float) -> float:
        """Returns U' at `times`."""
        rate, bend = self._rate(), self._bend()
        if abs(bend) < _NONE:
            return self.once * float(np.exp(-rate * (times - 1)))
        base = 1 + bend * (times - 1)
        return self.once * float(base ** (-rate / bend)) if base > _NONE else 0.0

    def _new(self, times: float) -> float:
        """Returns the integral of U' from 1 to `times`."""
        rate, bend = self._rate(), self._bend()
        if rate < _NONE:
            return self.once * (times - 1)
        if abs(bend) < _NONE:
            return float(self.once * -np.expm1(-rate * (times - 1)) / rate)
        base, power = max(0.0, 1 + bend * (times - 1)), 1 - rate / bend
        if abs(power) < _NONE:
            return float(self.once * np.log(base) / bend)
        return float(self.once * (base**power - 1) / (power * bend))


def capped_total(counts: Counts, times: float, limit: int) -> float:
    """Returns the rows that postings of at most `limit` sentences would hold in a sample `times` as large.

    `counts` are the sentences of each posting in the sample. As long as only postings that are frequent in the sample
    reach the limit, the rows are all rows less the overflow. Beyond that they are extrapolated by the power observed
    there, and are at least the first few rows of each posting by the growth curve.
    """
    near = max(1.0, limit / _FREQUENT)
    if times <= near:
        return float(times * counts.sum() - np.maximum(0, times * counts - limit).sum())
    if limit <= _FREQUENT:
        return Growth.of(counts).capped(times, limit)
    half, whole = capped_total(counts, near / 2, limit), capped_total(counts, near, limit)
    on = whole * float((times / near) ** np.log2(whole / half)) if half else 0.0
    return max(on, Growth.of(counts).capped(times, _FREQUENT))


def incidence(units: Integers, things: Integers) -> Counts:
    """Returns in how many units each distinct thing occurs, shape (distinct things,), from the unit of each occurrence.

    A unit is what was drawn at once: copies within one say nothing about copies in the rest.
    """
    pairs = np.unique(np.stack((things, units)), axis=1) if len(things) else np.zeros((2, 0), dtype=np.uint64)
    return np.unique(pairs[0], return_counts=True)[1]
