"""Growth curves against laws whose answer is known, and against what chance draws from them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.estimation.growth import Growth, capped_total, incidence

TIMES = st.floats(1, 1000)
COUNTS = st.lists(st.integers(1, 200), min_size=1, max_size=60).map(lambda one: np.array(one, dtype=np.int64))


def heaps(power: float) -> Growth:
    """The expected counts of a power law U(x) = 10**9 x**power at x = 1."""
    once, twice, thrice = power, power * (1 - power) / 2, power * (1 - power) * (2 - power) / 6
    return Growth(*(round(part * 1e9) for part in (1, once, twice, thrice)))


@given(st.floats(0.05, 0.95), TIMES)
def test_a_power_law_goes_on(power: float, times: float) -> None:
    assert heaps(power).distinct(times) == pytest.approx(1e9 * times**power, rel=1e-4)


@given(st.floats(0.05, 3), st.floats(1, 20))
def test_things_of_equal_frequency_are_all_seen_in_the_end(mean: float, times: float) -> None:
    """A Poisson number of copies of each: N (1 - exp(-mean x)) are seen."""
    things = 10**12
    share = [mean**k * np.exp(-mean) / f for k, f in ((1, 1), (2, 2), (3, 6))]
    growth = Growth(round(things * -np.expm1(-mean)), *(round(things * one) for one in share))
    assert growth.distinct(times) == pytest.approx(things * -np.expm1(-mean * times), rel=1e-4)


@given(st.integers(2, 5), st.floats(0.02, 0.5))
def test_a_corpus_in_which_everything_stands_equally_often(copies: int, share: float) -> None:
    """Of every sentence `copies`: the whole has as many distinct ones as there are, whatever the sample's share."""
    things = 10**12
    binomial = [things * np.prod([copies - i for i in range(k)]) / f for k, f in ((1, 1), (2, 2), (3, 6))]
    seen = [one * share**k * (1 - share) ** (copies - k) for k, one in enumerate(binomial, 1)]
    growth = Growth(round(things * (1 - (1 - share) ** copies)), *map(round, seen))
    assert growth.distinct(1 / share) == pytest.approx(things, rel=1e-3)


@settings(deadline=None)
@given(COUNTS, TIMES, TIMES)
def test_more_holds_more_but_never_more_than_in_proportion(counts: np.ndarray, one: float, other: float) -> None:  # type: ignore[type-arg]
    growth, (less, more) = Growth.of(counts), sorted((one, other))
    assert growth.distinct(1) == len(counts)
    assert growth.distinct(less) <= growth.distinct(more) * (1 + 1e-9)
    assert growth.distinct(more) <= growth.seen + growth.once * (more - 1) + 1e-6


@given(COUNTS, st.integers(1, 300))
def test_in_the_sample_itself_nothing_is_estimated(counts: np.ndarray, limit: int) -> None:  # type: ignore[type-arg]
    assert capped_total(counts, 1, limit) == np.minimum(counts, limit).sum()


@settings(deadline=None)
@given(COUNTS, TIMES, st.integers(1, 4), st.integers(4, 300))
def test_a_higher_limit_leaves_no_fewer_rows(counts: np.ndarray, times: float, low: int, high: int) -> None:  # type: ignore[type-arg]
    """Beyond the first few times the sample, where both are drawn out by the growth curve."""
    times += high
    assert capped_total(counts, times, high) >= Growth.of(counts).capped(times, low) * (1 - 1e-9)


@given(COUNTS)
def test_things_seen_once_or_twice_in_the_sample(counts: np.ndarray) -> None:  # type: ignore[type-arg]
    growth = Growth.of(counts)
    assert growth.capped(1, 1) == len(counts)
    assert growth.capped(1, 2) == np.minimum(counts, 2).sum()
    often = growth.seen_often(1, 2)
    assert often == pytest.approx([np.sum(counts == 1), np.sum(counts == 2) if growth.once else 0])


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [1.4, 1.6])
@pytest.mark.parametrize("times", [4, 20])
def test_words_drawn_from_a_zipf_law(exponent: float, times: int) -> None:
    random = np.random.default_rng(0)
    whole = random.zipf(exponent, 4_000_000)
    sample, everything = (np.unique(one, return_counts=True)[1] for one in (whole[: len(whole) // times], whole))
    growth = Growth.of(sample)
    assert growth.distinct(times) == pytest.approx(len(everything), rel=0.1)
    assert growth.capped(times, 2) == pytest.approx(np.minimum(everything, 2).sum(), rel=0.1)
    for limit in (30, 100):
        assert capped_total(sample, times, limit) == pytest.approx(np.minimum(everything, limit).sum(), rel=0.1)
    assert growth.seen_often(times, 3) == pytest.approx([np.sum(everything == k) for k in (1, 2, 3)], rel=0.25)


def test_copies_inside_of_a_unit_are_one() -> None:
    units = np.array([0, 0, 0, 1, 1, 2], dtype=np.uint64)
    things = np.array([7, 7, 8, 7, 9, 9], dtype=np.uint64)
    assert sorted(incidence(units, things).tolist()) == [1, 2, 2]
    assert len(incidence(units[:0], things[:0])) == 0


def test_drawing_pieces_finds_copies_that_stand_together_and_apart() -> None:
    """Half of a corpus is said twice in a row, and a quarter again in another place: the estimate is of both."""
    random = np.random.default_rng(1)
    near = np.repeat(np.arange(40_000), 2)
    far = random.permutation(np.repeat(np.arange(40_000, 60_000), 2))
    corpus = np.concatenate((near, far)).reshape(-1, 40)
    drawn = np.flatnonzero(random.random(len(corpus)) < 0.2)
    units = np.repeat(np.arange(len(drawn)), 40)
    growth = Growth.of(incidence(units, corpus[drawn].reshape(-1)))
    assert growth.distinct(len(corpus) / len(drawn)) == pytest.approx(60_000, rel=0.03)
