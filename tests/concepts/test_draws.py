"""The sets of dev and test: drawn by support against exact probabilities, and never before those of enough support."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.concepts.draws import DRAWN, Draws, support_times
from conceptloom.concepts.sampling import sample
from conceptloom.concepts.scoring import SCORED
from conceptloom.hashing import splitmix64

SETS = st.lists(st.tuples(st.integers(3, 5), st.integers(1, 6), st.sampled_from([0.0, 0.5, 1.0, 20.0])), max_size=40)


def scored(sets: list[tuple[int, int, float]]) -> pa.Table:
    """Sets of those numbers of concepts, supports and scores; ids are hashes of their places."""
    ids = splitmix64(np.arange(len(sets), dtype=np.uint64)).tolist()
    ones = dict.fromkeys(("words", "length", "chance", "degree"), 1)
    rows = [
        {"set": id_, "concepts": list(range(size)), "support": support, **ones, "score": score}
        for id_, (size, support, score) in zip(ids, sets)
    ]
    return pa.Table.from_pylist(rows, schema=SCORED)


@settings(deadline=None)
@given(sets=SETS, held=st.integers(1, 6), cuts=st.lists(st.integers(0, 40), max_size=4), seed=st.integers(0, 5))
def test_draws_of_parts_are_those_of_the_whole(
    sets: list[tuple[int, int, float]], held: int, cuts: list[int], seed: int
) -> None:
    draws, table = Draws(7, seed, ((3, held), (5, 2))), scored(sets)
    whole = draws.of(table)
    ends = [0, *sorted(min(cut, len(sets)) for cut in cuts), len(sets)]
    parts = [draws.of(table.slice(start, end - start)) for start, end in pairwise(ends)]
    assert draws.merge(parts) == draws.merge(parts[::-1]) == whole and whole.schema == DRAWN
    by_score = whole.filter(pa.array(whole["draw"].to_numpy() == 0)).drop(["draw"])
    assert by_score == sample(table, 7, seed)
    sizes = Counter(size for size, *_ in sets)
    found = Counter(whole["draw"].to_pylist())
    assert (found[3], found[5]) == (min(held, sizes[3]), min(2, sizes[5])) and not found[4]
    assert all(len(row["concepts"]) == row["draw"] for row in whole.to_pylist() if row["draw"])


def drawable(supports: list[int], chances: list[int]) -> pa.Table:
    """Sets of those supports and chances."""
    ids = splitmix64(np.arange(len(supports), dtype=np.uint64))
    return pa.table({"set": ids, "support": supports, "chance": chances})


@settings(deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=50), st.integers(1, 6), st.integers(0, 50))
def test_sets_of_too_few_sentences_come_last(supports: list[int], least: int, seed: int) -> None:
    support = np.array(supports)
    ordered = support[np.argsort(support_times(drawable(supports, supports), least, seed))]
    assert np.minimum(ordered, least).tolist() == sorted(np.minimum(support, least).tolist(), reverse=True)


@pytest.mark.slow
def test_the_first_is_drawn_with_its_chance() -> None:
    sets, runs = drawable([2, 3, 4, 5, 3], [9, 3, 4, 5, 10]), 20_000
    firsts = Counter(int(np.argmin(support_times(sets, 3, seed))) for seed in range(runs))
    assert firsts[0] == 0
    for place, weight in enumerate([0, 3, 4, 5, 10]):
        chance = weight / 22
        assert abs(firsts[place] - runs * chance) <= 4 * math.sqrt(runs * chance * (1 - chance))
