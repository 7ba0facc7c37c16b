"""The gates but `leak`, on made-up reports, against plain arithmetic."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptloom.errors import ConfigError
from conceptloom.gates import GATES
from conceptloom.gates.bounds import number_at, within_bounds
from conceptloom.gates.frozen import same_files
from conceptloom.gates.kept import kept_falls
from conceptloom.gates.malformed import malformed_shares
from conceptloom.gates.rows import row_falls
from conceptloom.pipelines.build.configuration import make_settings
from conceptloom.pipelines.build.settings import GateSettings

SPLITS = ("train", "validation", "test")
NUMBERS = st.fixed_dictionaries({split: st.integers(0, 300) for split in SPLITS})
HUNDREDTHS = st.integers(0, 100)


@given(NUMBERS, NUMBERS, HUNDREDTHS)
def test_rows_may_fall_to_the_limit_and_not_below(now: dict[str, int], before: dict[str, int], limit: int) -> None:
    found = row_falls(now, before, limit / 100)
    pairs = [*((before[split], now[split]) for split in now), (sum(before.values()), sum(now.values()))]
    assert [one.of for one in found] == [*now, "total"]
    assert [one.passed for one in found] == [new * 100 >= old * (100 - limit) for old, new in pairs]


def test_the_first_build_cannot_have_fallen_and_says_so() -> None:
    found = row_falls({"train": 3, "validation": 0, "test": 1}, None, 0.0)
    assert all(one.passed for one in found)
    assert [one.measured for one in found] == [f"the first build, {number}" for number in (3, 0, 1, 4)]


def test_a_fall_is_told_with_both_numbers() -> None:
    found = row_falls({"train": 58, "validation": 10, "test": 10}, {"train": 87, "validation": 10, "test": 9}, 0.1)
    assert [(one.measured, one.passed) for one in found[:3]] == [
        ("-33.33 % (87 to 58)", False),
        ("+0.00 % (10 to 10)", True),
        ("+11.11 % (9 to 10)", True),
    ]
    assert found[0].limit == "-10 %"


@given(st.integers(0, 200), st.integers(0, 200), HUNDREDTHS)
def test_the_share_of_malformed_records(malformed: int, records: int, limit: int) -> None:
    (found,) = malformed_shares({"a": records}, {"a": malformed}, limit / 100)
    assert (found.of, found.passed) == ("a", malformed * 100 <= limit * records)


def test_each_source_has_its_share_of_malformed_records() -> None:
    found = malformed_shares({"b": 10, "a": 4}, {"a": 1}, 0.2)
    assert [(one.of, one.measured, one.passed) for one in found] == [
        ("a", "25.00 % (1 of 4)", False),
        ("b", "0.00 % (0 of 10)", True),
    ]


COUNTS = st.integers(0, 50).flatmap(lambda read: st.tuples(st.just(read), st.integers(0, read)))


def ledger(*counts: tuple[int, int]) -> dict[str, dict[str, Any]]:
    return {f"s{at}": {"read": read, "kept": kept, "rejected": {}} for at, (read, kept) in enumerate(counts)}


def share(counts: list[tuple[int, int]]) -> Fraction:
    read = sum(one for one, _ in counts)
    return Fraction(100 * sum(one for _, one in counts), read) if read else Fraction(100)


@given(st.lists(COUNTS, min_size=1, max_size=3), st.lists(COUNTS, min_size=1, max_size=3), st.integers(0, 1000))
def test_the_share_kept_may_fall_by_so_many_points(
    now: list[tuple[int, int]], before: list[tuple[int, int]], tenths: int
) -> None:
    (found,) = kept_falls({"ingest": ledger(*now)}, {"ingest": ledger(*before)}, tenths / 10)
    assert found.passed == (share(before) - share(now) <= Fraction(tenths, 10))


def test_a_new_stage_and_a_first_build_cannot_have_fallen() -> None:
    stages = {"ingest": ledger((4, 1)), "screen": ledger((1, 0))}
    first = kept_falls(stages, None, 0.0)
    assert [(one.of, one.measured, one.passed) for one in first] == [
        ("ingest", "the first build, 25.00 %", True),
        ("screen", "the first build, 0.00 %", True),
    ]
    later = kept_falls(stages, {"ingest": ledger((4, 2))}, 24.9)
    assert [(one.measured, one.passed) for one in later] == [
        ("-25.00 points, to 25.00 %", False),
        ("the first build, 0.00 %", True),
    ]


REPORT = {"statistics": {"test": {"average_length": 23.5, "sizes": {"<=3": 4}, "additional": None}}, "ok": True}


@pytest.mark.parametrize(
    ("least", "most", "passed"),
    [(23.5, 23.5, True), (None, 23.4, False), (23.6, None, False), (10, None, True), (None, 60, True)],
)
def test_a_number_stays_within_its_bounds(least: float | None, most: float | None, passed: bool) -> None:
    (found,) = within_bounds(REPORT, {"statistics.test.average_length": (least, most)})
    assert (found.of, found.measured, found.passed) == ("statistics.test.average_length", "23.5", passed)


def test_a_path_may_hold_the_names_of_sizes() -> None:
    assert number_at(REPORT, "statistics.test.sizes.<=3") == 4


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("statistics.test.averge", "has no statistics.test.averge; statistics.test has: average_length, sizes, addit"),
        ("statistcs.test", "it has: statistics, ok"),
        ("statistics.test.average_length.x", "statistics.test.average_length is a float"),
        ("statistics.test", "is not a number; statistics.test has: average_length"),
        ("statistics.test.additional", "statistics.test.additional is empty"),
        ("ok", "ok is a bool"),
        ("", "it has: statistics, ok"),
    ],
)
def test_a_path_to_no_number_is_an_error_that_says_what_there_is(path: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        within_bounds(REPORT, {path: (0, None)})
    assert said in str(caught.value)


def test_held_out_files_are_the_same_or_the_first_other_is_named() -> None:
    now = {"validation": {"a": "1", "b": "2"}, "test": {"c": "3", "d": "5", "e": "6"}}
    assert [(one.passed, one.measured) for one in same_files(now, None)] == [(True, "the first build")] * 2
    assert [one.passed for one in same_files(now, now)] == [True, True]
    before = {"validation": {"a": "1", "b": "2"}, "test": {"c": "3", "d": "4"}}
    same, other = same_files(now, before)
    assert same.passed and (other.passed, other.measured, other.note) == (False, "2 of 3 files differ", "first: d")


def test_every_gate_is_a_setting_and_every_setting_a_gate() -> None:
    assert set(GATES) == set(GateSettings.model_fields)


def test_which_gates_are_asked() -> None:
    assert GateSettings().chosen(0.2) == {"max_fall": 0.1, "leak": True, "maximum_malformed": 0.2, "bounds": {}}
    data = {"max_fall": None, "leak": False, "maximum_malformed": 0.0, "max_kept_fall": 5, "frozen": True}
    chosen = make_settings(GateSettings, {**data, "bounds": {"a.b": {"max": 3}}}, "here").chosen(0.2)
    assert chosen == {"maximum_malformed": 0.0, "max_kept_fall": 5, "bounds": {"a.b": (None, 3)}, "frozen": True}


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ({"max_fall": -0.1}, "max_fall"),
        ({"max_fall": 1.1}, "max_fall"),
        ({"bounds": {"a": {}}}, "bounds.a: give min, max or both"),
        ({"bounds": {"a": {"min": 2, "max": 1}}}, "bounds.a: min is above max"),
        ({"bounds": {"a": {"least": 2}}}, "unknown key bounds.a.least; allowed keys: max, min"),
        ({"bounds": {"a": {"min": float("nan")}}}, "bounds.a.min"),
        ({"falls": 1}, "unknown key falls"),
    ],
)
def test_impossible_limits_are_errors(data: dict[str, Any], key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make_settings(GateSettings, data, "here")
    assert str(caught.value).startswith(key)
