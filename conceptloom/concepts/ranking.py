"""Which of the drawn sets become dev and test: the first of each size (CommonGen, section 3.2).

The paper gives the 2,500 top-ranked candidates to dev and test, and its table 1 says how many of each size. So the
candidates of one size are ranked, the quotas of dev and test together are taken from the top, and a seeded hash of the
set decides which of these are dev and which are test: both are equally good, and neither depends on the other's ranks.
All other candidates go to train. What they are ranked by is a choice (RANKS): the published sets are not the best by
score.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from conceptloom.arrays.lists import Lists
from conceptloom.arrays.types import Bool, Float64, Int64, UInt64
from conceptloom.concepts.draws import MIN_SUPPORT, Draws, support_times
from conceptloom.concepts.sampling import arrival_times
from conceptloom.errors import BuildError, ConfigError
from conceptloom.hashing import seed_for, splitmix64
from conceptloom.splits.assignment import TEST, TRAIN, VALIDATION

Amount = int | float
"""A number of sets, or (a float below 1) a fraction of the candidates of that size."""


RANKS = {
    "published": "drawn from the sentences of all sets that `min_support` hold, as the published dev and test look",
    "draw": "in the order in which the candidates were drawn by score",
    "score": "the best scores, as the paper's text says",
}
"""What dev and test can be ranked by, with a line each."""


@dataclass(frozen=True)
class Quotas:
    """How many sets of each size dev and test get; sizes that are not named give none. The defaults are table 1's."""

    dev: Mapping[int, Amount] = field(default_factory=lambda: {3: 493, 4: 250, 5: 250})
    test: Mapping[int, Amount] = field(default_factory=lambda: {4: 747, 5: 750})
    rank: str = "published"
    """See RANKS."""
    min_support: int = MIN_SUPPORT
    """With rank `published`, sets of fewer sentences are taken only where there are no others."""

    def __post_init__(self) -> None:
        if self.rank not in RANKS:
            raise ConfigError(f"quotas.rank must be one of {', '.join(RANKS)}, not {self.rank!r}")
        if self.min_support < 1:
            raise ConfigError(f"quotas.min_support must be at least 1, not {self.min_support}")
        for split, amounts in (("dev", self.dev), ("test", self.test)):
            for size, amount in amounts.items():
                whole = isinstance(amount, int) and not isinstance(amount, bool) and amount >= 0
                if not whole and not (isinstance(amount, float) and 0 <= amount < 1):
                    raise ConfigError(
                        f"quotas.{split}.{size} must be a number of sets or a fraction below 1, not {amount!r}"
                    )

    def draws(self, candidates: int, seed: int) -> Draws:
        """Returns what has to be drawn: that number of candidates, and the sets that these quotas can ask for."""
        sizes = sorted({*self.dev, *self.test}) if self.rank == "published" else []
        most = (
            (size, sum(_number(amounts.get(size, 0), candidates) for amounts in (self.dev, self.test)))
            for size in sizes
        )
        return Draws(candidates, seed, tuple((size, number) for size, number in most if number), self.min_support)

    def of(self, size: int, candidates: int, drawn: int = 0) -> tuple[int, int]:
        """Returns (dev, test): how many of the candidates of a size they get. Raises BuildError if there are too few.

        `drawn` is the number of candidates and of sets drawn for dev and test, where these are not among them.

        >>> Quotas(dev={3: 0.25}, test={3: 4}).of(3, 40)
        (10, 4)
        """
        dev, test = (_number(amounts.get(size, 0), candidates) for amounts in (self.dev, self.test))
        available = max(candidates, drawn)
        if dev + test > available:
            raise BuildError(
                f"dev and test want {dev + test:,} sets of {size} concepts, {available:,} were sampled: lower "
                f"quotas.dev.{size} or quotas.test.{size} (fractions will do), or raise sample.size"
            )
        return dev, test


class Ranked(NamedTuple):
    """What becomes of each candidate; both of shape (candidates,)."""

    ranks: Int64
    """Its place among the candidates of its size, from 0; equal ones are ordered by id."""
    splits: Int64
    """TRAIN, VALIDATION (dev) or TEST."""


def rank(sampled: pa.Table, quotas: Quotas, seed: int, is_candidate: Bool | None = None) -> Ranked:
    """Returns the ranks of distinct sets (schema SAMPLED, in any order), and dev and test among the first.

    `is_candidate` says which of them were drawn by score; by default all. Raises BuildError where a size has fewer
    sets than its quotas ask for.
    """
    sets, order = sampled["set"].to_numpy(), _order(sampled, quotas, seed)
    candidate = np.ones(len(sets), dtype=np.bool_) if is_candidate is None else is_candidate
    sizes = Lists.from_arrow(sampled["concepts"]).sizes
    ranks, splits = np.zeros(len(sets), dtype=np.int64), np.full(len(sets), TRAIN, dtype=np.int64)
    for size in sorted({*sizes.tolist(), *quotas.dev, *quotas.test}):
        rows = np.flatnonzero(sizes == size)
        ordered = rows[np.lexsort((sets[rows], order[rows]))]
        ranks[ordered] = np.arange(len(rows))
        dev, test = quotas.of(size, int(candidate[rows].sum()), len(rows))
        chosen = ordered[: dev + test]
        splits[chosen] = np.where(_first(sets[chosen], test, seed), TEST, VALIDATION)
    return Ranked(ranks, splits)


def _order(sampled: pa.Table, quotas: Quotas, seed: int) -> Float64:
    """What the sets are ranked by, the smallest first, shape (sets,)."""
    sets, scores = (sampled[name].to_numpy() for name in ("set", "score"))
    if quotas.rank == "published":
        return support_times(sampled, quotas.min_support, seed)
    return -scores if quotas.rank == "score" else arrival_times(sets, scores, seed)


def _first(sets: UInt64, count: int, seed: int) -> Bool:
    """Which of the sets are among the `count` smallest by seeded hash, shape (sets,)."""
    result = np.zeros(len(sets), dtype=np.bool_)
    result[np.lexsort((sets, splitmix64(sets ^ seed_for("dev or test", seed))))[:count]] = True
    return result


def _number(amount: Amount, candidates: int) -> int:
    return amount if isinstance(amount, int) else round(amount * candidates)
