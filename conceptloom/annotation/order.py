"""The permutation check: do people keep the order in which concepts are shown? (CommonGen, section 3.3.)"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import factorial
from statistics import fmean

import numpy as np

from conceptloom.annotation.coverage import concept_places
from conceptloom.arrays.types import Float64
from conceptloom.examples import Example
from conceptloom.json_values import JsonObject


@dataclass(frozen=True)
class OrderCheck:
    """How the order of the concepts in a set compares with their order in its references.

    Only references that contain all concepts of their set are compared.
    """

    references: int
    compared: int
    changed: int
    """The number of compared references whose concepts are in a different order than in the set."""
    changed_by_chance: float
    """The expected number if every order were equally likely."""
    correlated: int
    """The number of compared references with a correlation, that is, with concepts in more than one word."""
    mean: float | None
    """The mean of Spearman's rank correlations; None if there are none."""

    def to_json(self) -> JsonObject:
        """The check as JSON values: shares in per cent with two digits, the mean with four."""
        return {
            "references": self.references,
            "compared": self.compared,
            "changed": self.changed,
            "changed_percent": round(100 * self.changed / max(1, self.compared), 2),
            "changed_percent_by_chance": round(100 * self.changed_by_chance / max(1, self.compared), 2),
            "correlated": self.correlated,
            "mean_spearman": None if self.mean is None else round(self.mean, 4),
        }


def check_order(examples: Iterable[Example]) -> OrderCheck:
    """Compares the order of each set with the first places of its concepts in each of its references.

    A concept that occurs twice in a set counts once, at its first place.
    """
    pairs = [(tuple(dict.fromkeys(example.concepts)), text) for example in examples for text in example.sentences]
    found = concept_places([concepts for concepts, _ in pairs], (text for _, text in pairs))
    compared = [
        complete for places in found if len(complete := [place for place in places if place is not None]) == len(places)
    ]
    values = [value for places in compared if (value := spearman(range(len(places)), places)) is not None]
    return OrderCheck(
        references=len(pairs),
        compared=len(compared),
        changed=sum(places != sorted(places) for places in compared),
        changed_by_chance=sum(1 - 1 / factorial(len(places)) for places in compared),
        correlated=len(values),
        mean=fmean(values) if values else None,
    )


def spearman(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Spearman's rank correlation, with mean ranks for ties; None where all values of a side are equal.

    >>> spearman([1, 2, 3], [10, 30, 20])
    0.5
    """
    if len(set(left)) < 2 or len(set(right)) < 2:
        return None
    mine, other = (ranks - ranks.mean() for ranks in (_ranks(left), _ranks(right)))
    return float((mine @ other) / np.sqrt((mine @ mine) * (other @ other)))


def _ranks(values: Sequence[float]) -> Float64:
    _, places, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    mean_ranks: Float64 = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return mean_ranks
