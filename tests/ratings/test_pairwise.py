"""Rankings from pairwise comparisons, compared with counts by hand and with scipy."""

import math
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from conceptloom.errors import InputError
from conceptloom.ratings.pairwise import Comparison, hit_rates, rank_agreement, rankings, read_comparisons

SYSTEMS = "abcd"


def _by_order(item: str, rater: str, order: str) -> list[Comparison]:
    """All comparisons of a rater who prefers systems in this order, best first."""
    return [Comparison(item, rater, *sorted((x, y)), x) for x, y in combinations(order, 2)]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.permutations(SYSTEMS), min_size=1, max_size=6))
def test_consistent_raters_give_their_order(orders: list[list[str]]) -> None:
    comparisons = [one for n, order in enumerate(orders) for one in _by_order(str(n), "k", "".join(order))]
    rates = hit_rates(rankings(comparisons))
    for system in SYSTEMS:
        places = [order.index(system) + 1 for order in orders]
        expected = {k: 100 * sum(place <= k for place in places) / len(places) for k in (1, 3, 5)}
        assert rates[system] == pytest.approx(expected)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.permutations(SYSTEMS), min_size=3, max_size=3))
def test_agreement_is_the_mean_tau_of_pairs_of_raters(orders: list[list[str]]) -> None:
    comparisons = [one for n, order in enumerate(orders) for one in _by_order("1", str(n), "".join(order))]
    places = [[order.index(system) for system in SYSTEMS] for order in orders]
    taus = [kendalltau(x, y).statistic for x, y in combinations(places, 2)]
    assert rank_agreement(rankings(comparisons)) == pytest.approx(sum(taus) / 3)


def test_a_tie_is_half_a_win_and_equals_share_a_place() -> None:
    ranked = rankings(
        [Comparison("1", "k", "a", "b", ""), Comparison("1", "k", "a", "c", "a"), Comparison("1", "k", "b", "c", "b")]
    )
    assert ranked == {("1", "k"): {"a": 1.5, "b": 1.5, "c": 0.0}}
    assert hit_rates(ranked, (1, 2, 3)) == {
        "a": {1: 100, 2: 100, 3: 100},
        "b": {1: 100, 2: 100, 3: 100},
        "c": {1: 0, 2: 0, 3: 100},
    }


def test_one_rater_agrees_with_nobody() -> None:
    assert math.isnan(rank_agreement(rankings(_by_order("1", "k", "abc") + _by_order("2", "l", "abc"))))


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (["item,rater,first,second"], "has no column winner"),
        (["item,rater,first,second,winner"], "there are no comparisons"),
        (["item,rater,first,second,winner", "1,k,a,b,c"], "line 2: the winner 'c' is neither of two systems"),
        (["item,rater,first,second,winner", "1,k,a,a,a"], "line 2: the winner 'a' is neither of two systems"),
        (
            ["item,rater,first,second,winner", "1,k,a,b,a", "1,k,b,a,a"],
            "line 3: rater 'k' has already compared these two",
        ),
    ],
)
def test_invalid_comparisons(tmp_path: Path, lines: list[str], what: str) -> None:
    path = tmp_path / "c.csv"
    path.write_text("\n".join(lines), "utf-8")
    with pytest.raises(InputError, match=what):
        read_comparisons(str(path))


def test_comparisons_are_read_from_csv(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("rater,item,first,second,winner,note\nk,1,a,b,,equal\nk,1, a ,c,a,\n", "utf-8")
    assert read_comparisons(str(path)) == [Comparison("1", "k", "a", "b", ""), Comparison("1", "k", "a", "c", "a")]
