"""Lines, rates and shares against what they were made of."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptloom.estimation.fits import Line, by_power, bytes_a_row, filled, waning

COST = st.floats(0, 1000)


@given(COST, COST, st.floats(1e3, 1e9))
def test_a_line_is_found_again(fixed: float, each: float, rows: float) -> None:
    sizes = [1000.0, 2000.0, 4000.0]
    line = Line.through(sizes, [fixed + each * size for size in sizes])
    assert line.at(rows) == pytest.approx(fixed + each * rows, rel=1e-4, abs=1e-3)


@given(st.lists(st.floats(0, 1e6), min_size=3, max_size=3))
def test_no_part_of_a_cost_is_negative(costs: list[float]) -> None:
    line = Line.through([1, 2, 4], costs)
    assert line.fixed >= 0 and line.each >= 0


@given(st.floats(50, 200), st.floats(0, 40), st.integers(1, 10_000))
def test_rows_that_lose_their_neighbours_take_more_bytes(apart: float, saved: float, wanted: int) -> None:
    rates = [apart - saved / buckets for buckets in (1, 2, 4)]
    assert bytes_a_row([1, 2, 4], rates, wanted) == pytest.approx(apart - saved / wanted)


def test_rates_at_one_number_of_buckets_are_averaged() -> None:
    assert bytes_a_row([1, 1, 1], [10, 11, 12], 7) == pytest.approx(11)


@given(st.floats(0.01, 1), st.floats(0, 1), st.floats(1, 100))
def test_a_share_goes_on_by_its_power(share: float, power: float, times: float) -> None:
    sizes = [100.0, 200.0, 400.0]
    shares = [share * (size / 400) ** -power for size in sizes]
    if max(shares) <= 1:
        assert waning(sizes, shares, 400 * times) == pytest.approx(share * times**-power)


def test_a_share_stays_between_nothing_and_all() -> None:
    assert waning([1, 2], [0.0, 0.0], 10) == 0
    assert waning([1, 2], [0.2, 0.8], 100) == 1
    assert waning([2, 2], [0.2, 0.3], 100) == 0.3


@given(st.floats(1e-3, 1e6), st.floats(-1, 1.5), st.floats(1, 100))
def test_a_value_goes_on_by_its_power(value: float, power: float, times: float) -> None:
    sizes = [100.0, 200.0, 400.0]
    values = [value * (size / 400) ** power for size in sizes]
    assert by_power(sizes, values, 400 * times) == pytest.approx(value * times**power)


def test_noise_of_one_size_is_not_its_power() -> None:
    """The last two sizes alone would say that the value doubles with the size; all of them say the cube root of 2."""
    assert by_power([1, 2, 4, 8], [1, 1, 1, 2], 16) == pytest.approx(2 * 2**0.3)
    assert by_power([1, 2, 4], [0.0, 0.1, 0.2], 8) == 0.2
    assert by_power([2, 2, 2], [1, 2, 3], 8) == 3


@given(st.integers(1, 3000), st.integers(1, 300))
def test_blocks_that_any_row_falls_into(rows: int, places: int) -> None:
    assert filled(rows, places) <= min(rows, places) * (1 + 1e-9)
    if places >= 100:
        hits = [len(np.unique(np.random.default_rng(seed).integers(0, places, rows))) for seed in range(5)]
        assert filled(rows, places) == pytest.approx(np.mean(hits), rel=0.1, abs=3)


def test_nowhere_is_nothing() -> None:
    assert filled(5, 0) == 0
