"""Ranks and quotas against sorted lists."""

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.concepts.draws import Draws, support_times
from conceptloom.concepts.ranking import Quotas, rank
from conceptloom.errors import BuildError, ConfigError
from conceptloom.hashing import splitmix64
from conceptloom.splits.assignment import TEST, TRAIN, VALIDATION

CANDIDATES = st.lists(st.tuples(st.integers(3, 5), st.sampled_from([0.5, 1.0, 1.0, 2.5, 9.0])), max_size=50)


def table(candidates: list[tuple[int, float]]) -> pa.Table:
    sets = splitmix64(np.arange(len(candidates), dtype=np.uint64))
    concepts = pa.array([list(range(size)) for size, _ in candidates], pa.list_(pa.int32()))
    support = pa.array(np.arange(len(candidates)) % 7 + 1, pa.int32())
    scores = pa.array([score for _, score in candidates], pa.float64())
    chance = pa.array(np.arange(len(candidates)) % 5 + 1, pa.int64())
    return pa.table({"set": sets, "concepts": concepts, "support": support, "chance": chance, "score": scores})


@settings(deadline=None)
@given(candidates=CANDIDATES, dev=st.integers(0, 3), test=st.integers(0, 3), seed=st.integers(0, 3))
def test_the_best_of_each_size_are_dev_and_test(
    candidates: list[tuple[int, float]], dev: int, test: int, seed: int
) -> None:
    sampled = table(candidates)
    found = Counter(size for size, _ in candidates)
    quotas = Quotas({3: min(dev, found[3]), 5: 0.25}, {4: min(test, found[4]), 5: 0.5}, "score")
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


@settings(deadline=None)
@given(candidates=CANDIDATES, dev=st.integers(0, 3), least=st.integers(1, 4), seed=st.integers(0, 3))
def test_dev_and_test_of_the_published_kind_are_the_first_by_support(
    candidates: list[tuple[int, float]], dev: int, least: int, seed: int
) -> None:
    sampled, found = table(candidates), Counter(size for size, _ in candidates)
    quotas = Quotas({3: min(dev, found[3])}, {4: 0.5}, "published", least)
    _, splits = rank(sampled, quotas, seed)
    support = sampled["support"].to_numpy()
    times = support_times(sampled, least, seed)
    for size in (3, 4):
        rows = [row for row, (own, _) in enumerate(candidates) if own == size]
        chosen = [row for row in rows if splits[row] != TRAIN]
        assert sorted(chosen) == sorted(sorted(rows, key=times.__getitem__)[: sum(quotas.of(size, len(rows)))])
        others = [support[row] for row in rows if row not in chosen]
        assert not chosen or not others or min(support[chosen]) >= min(least, max(others))


def test_quotas_say_what_is_to_be_drawn() -> None:
    assert Quotas({3: 5, 4: 0.1}, {4: 20, 6: 0}).draws(1000, 7) == Draws(1000, 7, ((3, 5), (4, 120)), 3)
    assert Quotas(rank="score").draws(10, 0).held == Quotas({}, {}).draws(10, 0).held == ()
    with pytest.raises(ConfigError, match=r"quotas\.rank must be one of published, draw, score, not 'best'"):
        Quotas(rank="best")
    with pytest.raises(ConfigError, match=r"quotas\.min_support must be at least 1, not 0"):
        Quotas(min_support=0)


def test_sets_that_are_drawn_for_dev_and_test_only_are_no_base_of_fractions() -> None:
    sampled = table([(3, 1.0)] * 10)
    splits = rank(sampled, Quotas({3: 0.5}, {}, "score"), 0, np.arange(10) < 4).splits
    assert (splits == VALIDATION).sum() == 2


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
    sampled, quotas = table([(4, float(row)) for row in range(100)]), Quotas({4: 20}, {4: 20}, "score")
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
