"""Whether lines of predictions stand beside their own concept sets, or beside their neighbours' because one is missing.

A line that is one too early still has a set to be compared with, and scores almost nothing.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from conceptloom.arrays.types import Float64

SHIFTS = (-3, -2, -1, 1, 2, 3)
"""How many rows further down the sets lie that predictions are compared with."""

_CHANCE = 0.001
"""Predictions that fit all sets alike are reported at most this often."""

Concepts = Sequence[str]


class Misplaced(NamedTuple):
    """Consecutive predictions, `first` to before `stop`, which fit the sets `shift` rows further down better.

    `here` and `there` are the shares of concepts that they hold of the sets beside them and of those others.
    """

    first: int
    stop: int
    shift: int
    here: float
    there: float


def misplaced(sets: Sequence[Concepts], predictions: Sequence[str]) -> Misplaced | None:
    """The stretch of predictions that most clearly fits other sets than those in the same rows; None if none does.

    A stretch is judged by the sum of its rows' differences d in coverage, over the root of the sum of their squares.
    Were d as often positive as negative, this would exceed t with probability at most exp(-t²/2) (Hoeffding), which is
    multiplied by the number of stretches that could have been chosen: all rows are one, their parts are many. It takes
    18 rows to be sure of a whole file, and some 50 of 2,000.
    """
    texts = [text.lower() for text in predictions]
    here = _coverage(sets, texts, 0)
    found = [one for shift in SHIFTS if (one := _best(here, _coverage(sets, texts, shift), shift)) is not None]
    return max(found, key=lambda one: (one.there - one.here) * (one.stop - one.first), default=None)


def without_prediction(sets: Sequence[Concepts], predictions: Sequence[str]) -> list[int]:
    """The rows of sets that are left over when fewer predictions, in the order of the sets, hold most of the concepts.

    Of alignments that hold as much, the one that leaves the later sets: without a sign of where a prediction is missing
    it is the last.
    """
    texts, surplus = [text.lower() for text in predictions], len(sets) - len(predictions)
    held = np.nan_to_num([_coverage(sets, texts, shift) for shift in range(surplus + 1)]).T
    best, steps = np.zeros(surplus + 1), []
    for row in held:
        # A prediction is as many sets further down as the one before it, or further.
        before = [int(np.argmax(best[: shift + 1])) for shift in range(surplus + 1)]
        best = best[before] + row
        steps.append(before)
    shift, rows = int(np.argmax(best)), list[int]()
    for at in range(len(texts) - 1, -1, -1):
        rows.append(at + shift)
        shift = steps[at][shift]
    return sorted(set(range(len(sets))) - set(rows))


def _coverage(sets: Sequence[Concepts], texts: Sequence[str], shift: int) -> Float64:
    """The share of the set `shift` rows further down that each text holds as a part of it; nan without such a set."""
    found = np.full(len(texts), math.nan)
    for at in range(max(0, -shift), min(len(texts), len(sets) - shift)):
        concepts, text = sets[at + shift], texts[at]
        if concepts:
            found[at] = sum(concept in text for concept in concepts) / len(concepts)
    return found


def _best(here: Float64, there: Float64, shift: int) -> Misplaced | None:
    differences = np.nan_to_num(there - here)
    rows = len(differences)
    candidates = ((*_largest_sum(differences), rows * (rows + 1) // 2), (0, rows, 1))
    for first, stop, stretches in candidates:
        part = slice(first, stop)
        if _is_clear(differences[part], stretches):
            return Misplaced(first, stop, shift, float(np.nanmean(here[part])), float(np.nanmean(there[part])))
    return None


def _is_clear(differences: Float64, stretches: int) -> bool:
    length = math.sqrt(float(np.sum(differences**2)))
    if not length:
        return False
    wanted = math.sqrt(2 * math.log(stretches * len(SHIFTS) / _CHANCE))
    return float(np.sum(differences)) / length > wanted


def _largest_sum(values: Float64) -> tuple[int, int]:
    """The consecutive values with the largest sum, as the first place and the one behind the last (Kadane)."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    gains = sums - np.minimum.accumulate(sums)
    stop = int(np.argmax(gains))
    return int(np.argmin(sums[: stop + 1])), stop
