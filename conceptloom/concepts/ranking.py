"""Which of the sampled sets become dev and test: the best of each size (CommonGen, section 3.2).

The paper gives the 2,500 top-ranked candidates to dev and test, and its table 1 says how many of each size. So the
candidates of one size are ranked by score, the quotas of dev and test together are taken from the top, and a seeded
hash of the set decides which of these are dev and which are test: both are equally good, and neither depends on the
other's ranks. All other candidates go to train.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from conceptloom.arrays.lists import Lists
from conceptloom.arrays.types import Bool, Int64, UInt64
from conceptloom.errors import BuildError, ConfigError
from conceptloom.hashing import seed_for, splitmix64
from conceptloom.splits.assignment import TEST, TRAIN, VALIDATION

Amount = int | float
"""A number of sets, or (a float below 1) a fraction of the candidates of that size."""


@dataclass(frozen=True)
class Quotas:
    """How many sets of each size dev and test get; sizes that are not named give none. The defaults are table 1's."""

    dev: Mapping[int, Amount] = field(default_factory=lambda: {3: 493, 4: 250, 5: 250})
    test: Mapping[int, Amount] = field(default_factory=lambda: {4: 747, 5: 750})

    def __post_init__(self) -> None:
        for split, amounts in (("dev", self.dev), ("test", self.test)):
            for size, amount in amounts.items():
                whole = isinstance(amount, int) and not isinstance(amount, bool) and amount >= 0
                if not whole and not (isinstance(amount, float) and 0 <= amount < 1):
                    raise ConfigError(
                        f"quotas.{split}.{size} must be a number of sets or a fraction below 1, not {amount!r}"
                    )

    def of(self, size: int, candidates: int) -> tuple[int, int]:
        """Returns (dev, test): how many of the candidates of a size they get. Raises BuildError if there are too few.

        >>> Quotas(dev={3: 0.25}, test={3: 4}).of(3, 40)
        (10, 4)
        """
        dev, test = (_number(amounts.get(size, 0), candidates) for amounts in (self.dev, self.test))
        if dev + test > candidates:
            raise BuildError(
                f"dev and test want {dev + test:,} sets of {size} concepts, {candidates:,} were sampled: lower "
                f"quotas.dev.{size} or quotas.test.{size} (fractions will do), or raise sample.size"
            )
        return dev, test


class Ranked(NamedTuple):
    """What becomes of each candidate; both of shape (candidates,)."""

    ranks: Int64
    """Its place among the candidates of its size, 0 for the best score; equal scores are ordered by id."""
    splits: Int64
    """TRAIN, VALIDATION (dev) or TEST."""


def rank(sampled: pa.Table, quotas: Quotas, seed: int) -> Ranked:
    """Returns the ranks of the candidates (schema SAMPLED or SCORED, in any order), and dev and test among the best.

    Raises BuildError where a size has fewer candidates than its quotas ask for.
    """
    sets, scores = (sampled[name].to_numpy() for name in ("set", "score"))
    sizes = Lists.from_arrow(sampled["concepts"]).sizes
    ranks, splits = np.zeros(len(sets), dtype=np.int64), np.full(len(sets), TRAIN, dtype=np.int64)
    for size in sorted({*sizes.tolist(), *quotas.dev, *quotas.test}):
        rows = np.flatnonzero(sizes == size)
        ordered = rows[np.lexsort((sets[rows], -scores[rows]))]
        ranks[ordered] = np.arange(len(rows))
        dev, test = quotas.of(size, len(rows))
        chosen = ordered[: dev + test]
        splits[chosen] = np.where(_first(sets[chosen], test, seed), TEST, VALIDATION)
    return Ranked(ranks, splits)


def _first(sets: UInt64, count: int, seed: int) -> Bool:
    """Which of the sets are among the `count` smallest by seeded hash, shape (sets,)."""
    result = np.zeros(len(sets), dtype=np.bool_)
    result[np.lexsort((sets, splitmix64(sets ^ seed_for("dev or test", seed))))[:count]] = True
    return result


def _number(amount: Amount, candidates: int) -> int:
    return amount if isinstance(amount, int) else round(amount * candidates)
