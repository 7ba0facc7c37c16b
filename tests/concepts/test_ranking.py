"""Ranks and quotas against sorted lists."""

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.concepts.ranking import Quotas, rank
from conceptloom.errors import BuildError, ConfigError
from conceptloom.hashing import splitmix64
from conceptloom.splits.assignment import TEST, TRAIN, VALIDATION

CANDIDATES = st.lists(st.tuples(st.integers(3, 5), st.sampled_from([0.5, 1.0, 1.0, 2.5, 9.0])), max_size=50)


def table(candidates: list[tuple[int, float]]) -> pa.Table:
    sets = splitmix64(np.arange(len(candidates), dtype=np.uint64))
    concepts = pa.array([list(range(size)) for size, _ in candidates], pa.list_(pa.int32()))
    return pa.table({"set": sets, "concepts": concepts, "score": pa.array([s for _, s in candidates], pa.float64())})


@settings(deadline=None)
@given(candidates=CANDIDATES, dev=st.integers(0, 3), test=st.integers(0, 3), seed=st.integers(0, 3))
def test_the_best_of_each_size_are_dev_and_test(
    candidates: list[tuple[int, float]], dev: int, test: int, seed: int
) -> None:
    sampled = table(candidates)
    found = Counter(size for size, _ in candidates)
    quotas = Quotas({3: min(dev, found[3]), 5: 0.25}, {4: min(test, found[4]), 5: 0.5})
    ranks, splits = (column.tolist() for column in rank(sampled, quotas, seed))
    for size in (3, 4, 5):
        rows = [row for row, (own, _) in enumerate(candidates) if own == size]
        best = sorted(rows, key=lambda row: (-candidates[row][1], sampled["set"][row].as_py()))
        assert [ranks[row] for row in best] == list(range(len(rows)))
        wanted = quotas.of(size, len(rows))
        assert Counter(splits[row] for row in best[: sum(wanted)]) == +Counter({VALIDATION: wanted[0], TEST: wanted[1]})
        assert all(splits[row] == TRAIN for row in best[sum(wanted) :])


@settings(deadline=None)
@given(candidates=CANDIDATES, order=st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_does_not_matter(candidates: list[tuple[int, float]], order: Any) -> None:
    shuffled = list(range(len(candidates)))
    order.shuffle(shuffled)
    quotas = Quotas({3: 0.2, 4: 0.2}, {4: 0.3, 5: 0.9})
    places = np.array(shuffled, dtype=np.int64)
    one, other = rank(table(candidates), quotas, 1), rank(table(candidates).take(pa.array(places)), quotas, 1)
    assert one.splits[places].tolist() == other.splits.tolist() and one.ranks[places].tolist() == other.ranks.tolist()


def test_the_published_quotas() -> None:
    sampled = table([(size, float(row)) for size in (3, 4, 5) for row in range(1500)])
    _, splits = rank(sampled, Quotas(), 0)
    sizes = np.repeat([3, 4, 5], 1500)
    assert [
        [int(((sizes == size) & (splits == split)).sum()) for size in (3, 4, 5)] for split in (VALIDATION, TEST)
    ] == [
        [493, 250, 250],
        [0, 747, 750],
    ]


def test_another_seed_divides_the_same_sets_otherwise() -> None:
    sampled, quotas = table([(4, float(row)) for row in range(100)]), Quotas({4: 20}, {4: 20})
    one, other = rank(sampled, quotas, 1).splits, rank(sampled, quotas, 2).splits
    assert one.tolist() != other.tolist() and ((one == TRAIN) == (other == TRAIN)).all()


def test_too_few_candidates_and_impossible_quotas_are_refused() -> None:
    with pytest.raises(
        BuildError, match=r"dev and test want 5 sets of 3 concepts, 2 were sampled: lower quotas\.dev\.3"
    ):
        rank(table([(3, 1.0), (3, 2.0)]), Quotas({3: 5}, {}), 0)
    with pytest.raises(BuildError, match="want 1 sets of 6 concepts, 0 were sampled"):
        rank(table([]), Quotas({}, {6: 1}), 0)
    for wrong in (-1, 1.0, True, "10", float("nan")):
        with pytest.raises(ConfigError, match=r"quotas\.dev\.3 must be a number of sets or a fraction below 1"):
            Quotas(dev={3: wrong})  # type: ignore[dict-item]
