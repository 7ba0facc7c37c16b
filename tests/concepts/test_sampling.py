"""Weighted sampling against exact probabilities, and against itself in other blocks and orders."""

import math
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.concepts.sampling import SAMPLED, arrival_times, first_arrivals, logarithm, merge_samples, sample
from conceptloom.concepts.scoring import SCORED
from conceptloom.hashing import splitmix64

SCORES = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 17.25, 4e6]), max_size=60)


def scored(scores: list[float], first: int = 0) -> pa.Table:
    """Sets with those scores; ids are hashes of their numbers."""
    sets = splitmix64(np.arange(first, first + len(scores), dtype=np.uint64))
    ones = dict.fromkeys(("support", "words", "length", "chance", "degree"), 1)
    rows = [
        {"set": int(id_), "concepts": [0, 1, 2], **ones, "score": score} for id_, score in zip(sets.tolist(), scores)
    ]
    return pa.Table.from_pylist(rows, schema=SCORED)


def drawn_sets(scores: list[int], size: int) -> dict[frozenset[int], float]:
    """The probability of each outcome of `size` successive draws, by going through all orders."""
    chances = defaultdict[frozenset[int], Fraction](Fraction)
    for drawn in permutations(range(len(scores)), size):
        left, chance = sum(scores), Fraction(1)
        for place in drawn:
            chance *= Fraction(scores[place], left)
            left -= scores[place]
        chances[frozenset(drawn)] += chance
    return {outcome: float(chance) for outcome, chance in chances.items()}


@pytest.mark.parametrize(
    ("scores", "size", "limit"),
    # The limits are the 0.1 % points of chi-square with one degree of freedom less than there are outcomes.
    [([1, 2, 3, 4, 10], 2, 27.88), ([1, 2, 5, 8, 20, 3], 3, 43.82), ([7, 1], 1, 10.83)],
)
@pytest.mark.slow
def test_frequencies_are_the_exact_probabilities(scores: list[int], size: int, limit: float) -> None:
    runs, outcomes = 20_000, Counter[frozenset[int]]()
    sets, weights = splitmix64(np.arange(len(scores), dtype=np.uint64)), np.array(scores, dtype=np.float64)
    for seed in range(runs):
        outcomes[frozenset(first_arrivals(arrival_times(sets, weights, seed), sets, size).tolist())] += 1
    exact = drawn_sets(scores, size)
    assert sum((outcomes[outcome] - runs * p) ** 2 / (runs * p) for outcome, p in exact.items()) < limit
    for place in range(len(scores)):
        p = sum(chance for outcome, chance in exact.items() if place in outcome)
        found = sum(count for outcome, count in outcomes.items() if place in outcome)
        assert abs(found - runs * p) < 4 * math.sqrt(runs * p * (1 - p))


@settings(deadline=None)
@given(scores=SCORES, size=st.integers(0, 20), seed=st.integers(0, 9), cuts=st.lists(st.integers(0, 60), max_size=4))
def test_samples_of_parts_are_the_sample_of_the_whole(
    scores: list[float], size: int, seed: int, cuts: list[int]
) -> None:
    table = scored(scores)
    whole = sample(table, size, seed)
    ends = [0, *sorted(min(cut, len(scores)) for cut in cuts), len(scores)]
    parts = [sample(table.slice(start, end - start), size, seed) for start, end in pairwise(ends)]
    assert merge_samples(parts, size) == merge_samples(parts[::-1], size) == whole
    half = len(parts) // 2
    halves = [merge_samples(parts[:half], size), merge_samples(parts[half:], size)]
    assert merge_samples(halves, size) == whole
    assert whole.schema == SAMPLED and len(whole) == min(size, sum(score > 0 for score in scores))


@settings(deadline=None)
@given(scores=SCORES, size=st.integers(0, 20), order=st.randoms(use_true_random=False))
def test_the_order_of_the_sets_does_not_matter(scores: list[float], size: int, order: Any) -> None:
    shuffled = list(range(len(scores)))
    order.shuffle(shuffled)
    table = scored(scores)
    assert sample(table.take(pa.array(shuffled, pa.int64())), size, 3) == sample(table, size, 3)


def test_sets_that_arrive_together_are_drawn_by_id() -> None:
    times, sets = np.array([2.0, 1.0, 1.0, 1.0, np.inf]), np.array([0, 9, 4, 7, 1], dtype=np.uint64)
    assert first_arrivals(times, sets, 2).tolist() == [2, 3]
    assert first_arrivals(times, sets, 9).tolist() == [2, 3, 1, 0]


def test_another_seed_is_another_sample() -> None:
    table = scored([1.0] * 200)
    assert sample(table, 50, 1)["set"].to_pylist() != sample(table, 50, 2)["set"].to_pylist()


@settings(deadline=None)
@given(st.lists(st.floats(2.0**-53, 1 - 2.0**-53, exclude_min=True), min_size=1))
def test_the_logarithm_is_the_logarithm(values: list[float]) -> None:
    for value, found in zip(values, logarithm(np.array(values)).tolist()):
        assert found == pytest.approx(math.log(value), rel=1e-15, abs=0)


def test_the_extreme_hashes_have_finite_positive_times() -> None:
    edges = (np.array([0, 2**64 - 1], dtype=np.uint64) >> np.uint64(12)) + 0.5
    assert (edges * 2.0**-52 > 0).all() and (edges * 2.0**-52 < 1).all()
    times = arrival_times(splitmix64(np.arange(100_000, dtype=np.uint64)), np.ones(100_000), 0)
    assert np.isfinite(times).all() and (times > 0).all()
