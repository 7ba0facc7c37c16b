"""How many distinct things there will be in more of the same: sentences among copies, concepts among words.

What is seen once, twice and three times in a sample says how fast new things still come (I. J. Good and G. H. Toulmin,
1956; B. Efron and R. Thisted, 1976: how many words did Shakespeare know?). The curve U(x) of the distinct things in x
times the sample has the derivatives U'(1) = f1, U''(1) = -2 f2, U'''(1) = 6 f3. Taken is the one curve with these and

    U'(x) = f1 (1 + d (x - 1)) ** (-r / d),    r = 2 f2 / f1,    d = 3 f3 / f2 - r.

It holds the known laws: Heaps' power law and other mixtures by a gamma distribution (d > 0), things that are all
equally frequent (d = 0), and corpora in which each thing stands a fixed number of times (d < 0).
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from conceptloom.arrays.types import Float64, Int64, Integers

Counts: TypeAlias = Int64
"""How often each thing was seen, shape (things,)."""

_NONE = 1e-9
_FREQUENT = 4
"""What was seen so often in a sample will be seen in proportion in more of it."""


class Growth(NamedTuple):
    """The distinct things of a sample, and how many of them were seen once, twice and three times."""

    seen: int
    once: int
    twice: int
    thrice: int

    @classmethod
    def of(cls, counts: Counts) -> "Growth":
        """From how often each thing was seen, shape (things,).

        >>> Growth.of(np.array([1, 5, 1, 2]))
        Growth(seen=4, once=2, twice=1, thrice=0)
        """
        seen = np.bincount(np.minimum(counts, 4), minlength=4)
        return cls(len(counts), *map(int, seen[1:4]))

    def distinct(self, times: float) -> float:
        """How many distinct things `times` as large a sample would hold; `times` is at least 1."""
        return self.seen + self._new(times)

    def seen_often(self, times: float, most: int) -> Float64:
        """How many things would be seen exactly 1, 2, … `most` times; shape (most,)."""
        rate, bend = self._rate(), self._bend()
        base = 1 + bend * (times - 1)
        often = np.zeros(most)
        often[0] = times * self._speed(times)
        for place in range(1, most):
            more = max(0.0, rate + (place - 1) * bend)
            often[place] = often[place - 1] * times * more / ((place + 1) * base) if base > _NONE else 0
        return often

    def capped(self, times: float, limit: int) -> float:
        """The sum over all things of how often they would be seen, of each at most `limit`."""
        below = limit - np.arange(1, limit)
        return float(limit * self.distinct(times) - below @ self.seen_often(times, max(limit - 1, 1))[: limit - 1])

    def _rate(self) -> float:
        return 2 * self.twice / self.once if self.once else 0.0

    def _bend(self) -> float:
        return 3 * self.thrice / self.twice - self._rate() if self.twice else 0.0

    def _speed(self, times: float) -> float:
        """U' at `times`."""
        rate, bend = self._rate(), self._bend()
        if abs(bend) < _NONE:
            return self.once * float(np.exp(-rate * (times - 1)))
        base = 1 + bend * (times - 1)
        return self.once * float(base ** (-rate / bend)) if base > _NONE else 0.0

    def _new(self, times: float) -> float:
        """The integral of U' from 1 to `times`."""
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
    """The rows that postings of at most `limit` sentences would hold in `times` as large a sample.

    `counts` are the sentences of each posting in the sample. As long as only what is frequent in the sample reaches
    the limit, the rows are all rows less what flows over. Beyond that they go on by the power that they had there, and
    are not fewer than the first few of each posting that the growth curve tells.
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
    """In how many units each distinct thing occurs, for occurrences with their units; shape (distinct things,).

    A unit is what was drawn by chance at once: copies inside of one say nothing about copies in the rest.
    """
    pairs = np.unique(np.stack((things, units)), axis=1) if len(things) else np.zeros((2, 0), dtype=np.uint64)
    return np.unique(pairs[0], return_counts=True)[1]
