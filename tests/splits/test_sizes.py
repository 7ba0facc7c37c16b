"""Sizes and quotas against exact fractions."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.errors import ConfigError
from conceptloom.splits.sizes import Sizes, Stratum, allocate

STRATA = st.dictionaries(
    st.tuples(st.sampled_from(["captions", "dialogues", ""]), st.integers(2, 9)),
    st.tuples(st.integers(1, 1000), st.integers(0, 1000)),
    min_size=1,
)
Supplies = dict[Stratum, tuple[int, int]]


def weights_and_room(strata: Supplies) -> tuple[dict[Stratum, int], dict[Stratum, int]]:
    """A stratum has at most as many eligible sets as sentences."""
    weights = {key: max(pair) for key, pair in strata.items()}
    return weights, {key: pair[1] for key, pair in strata.items()}


@settings(deadline=None)
@given(STRATA, st.integers(0, 3000))
def test_all_that_can_be_given_is_given_and_no_more(strata: Supplies, wanted: int) -> None:
    weights, room = weights_and_room(strata)
    given_ = allocate(wanted, weights, room)
    assert sum(given_.values()) == min(wanted, sum(room.values()))
    assert all(0 <= given_[key] <= room[key] for key in room)


@settings(deadline=None)
@given(STRATA, st.integers(0, 3000))
def test_quotas_are_those_of_the_largest_remainder(strata: Supplies, wanted: int) -> None:
    weights, _ = weights_and_room(strata)
    given_ = allocate(wanted, weights, dict.fromkeys(weights, wanted + 1))
    exact = {key: Fraction(wanted * weight, sum(weights.values())) for key, weight in weights.items()}
    assert all(exact[key] - 1 < given_[key] < exact[key] + 1 for key in weights)
    up = {key for key in weights if given_[key] > int(exact[key])}
    ranks = {key: (-(exact[key] % 1), key) for key in weights}
    assert all(ranks[gained] < ranks[lost] for gained in up for lost in set(weights) - up)


@settings(deadline=None)
@given(STRATA, st.integers(0, 3000))
def test_the_order_of_the_strata_does_not_matter(strata: Supplies, wanted: int) -> None:
    weights, room = weights_and_room(strata)
    assert allocate(wanted, dict(reversed(weights.items())), room) == allocate(wanted, weights, room)


def test_a_shortage_goes_to_the_others_in_proportion() -> None:
    weights = {("a", 3): 60, ("a", 4): 20, ("b", 3): 20}
    assert allocate(10, weights, {("a", 3): 2, ("a", 4): 20, ("b", 3): 20}) == {("a", 3): 2, ("a", 4): 4, ("b", 3): 4}


def test_fractions_are_of_the_sentences() -> None:
    assert Sizes(validation=0.29, test=0.0).resolve(100) == (29, 0)
    assert Sizes(validation=3, test=0.5).resolve(7) == (3, 4)


@pytest.mark.parametrize("wrong", [-1, 1.0, -0.5, float("nan"), True, "10"])
def test_impossible_sizes_are_refused(wrong: object) -> None:
    with pytest.raises(ConfigError, match=r"split\.test must be a number of sets or a fraction below 1"):
        Sizes(test=wrong)  # type: ignore[arg-type]
