"""Gate `leak` against a reading of the same rows with plain Python sets."""

from itertools import combinations, product

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.gates.leak import COLUMNS, leaks
from conceptloom.schemas import DATA
from conceptloom.splits.policies import AllPairsUnseen, MaxShared, Policy, Random, UnseenPairs

Row = tuple[str, frozenset[str], tuple[str, ...]]
"""Id, concepts, sentences (the target first)."""

ROWS = st.lists(
    st.tuples(
        st.integers(0, 60).map(str),
        st.frozensets(st.sampled_from("abcdefghij"), min_size=2, max_size=4),
        st.lists(st.integers(0, 60).map(lambda number: f"s{number}"), min_size=1, max_size=2).map(tuple),
    ),
    max_size=6,
)
POLICIES = st.sampled_from([Random(), UnseenPairs(1), UnseenPairs(2), AllPairsUnseen(), MaxShared(0), MaxShared(2)])


def table(rows: list[Row]) -> pa.Table:
    data = [
        {"id": key, "concepts": sorted(concepts), "target": texts[0], "references": list(texts[1:])}
        for key, concepts, texts in rows
    ]
    return pa.Table.from_pylist(data, schema=pa.schema([DATA.field(name) for name in COLUMNS]))


def expected(train: list[Row], validation: list[Row], test: list[Row], policy: Policy) -> list[int]:
    """How many rows break each rule: same set, same sentence, then what the policy promises."""
    held = validation + test
    meetings = [(row, held) for row in train] + [(row, test) for row in validation]
    found = [
        sum(any(row[1] == other[1] for other in others) for row, others in meetings),
        sum(any(row[0] == one[0] or {*row[2]} & {*one[2]} for one in others) for row, others in meetings),
    ]
    if policy.min_pairs:
        shown = {pair for row in train for pair in combinations(sorted(row[1]), 2)}
        own = [{*combinations(sorted(row[1]), 2)} - shown for row in held]
        found.append(sum(len(pairs) < policy.min_pairs for pairs in own))
    most = policy.max_shared
    if most is not None:
        found.append(sum(any(len(row[1] & one[1]) > most for one in held) for row in train))
    return found


@settings(max_examples=150)
@given(ROWS, ROWS, ROWS, ROWS, POLICIES)
@pytest.mark.slow
def test_what_leaks_is_counted(
    first: list[Row], second: list[Row], validation: list[Row], test: list[Row], policy: Policy
) -> None:
    found = leaks(iter([table(first), table(second)]), table(validation), table(test), policy)
    numbers = expected(first + second, validation, test, policy)
    assert [one.measured.split()[0] for one in found] == [str(number) for number in numbers]
    assert [one.passed for one in found] == [number == 0 for number in numbers]


CLEAN: list[Row] = [("1", frozenset("ab"), ("one",)), ("2", frozenset("cd"), ("two", "three"))]
HELD: list[Row] = [("3", frozenset("ac"), ("four", "five")), ("4", frozenset("bd"), ("six",))]


@pytest.mark.parametrize("policy", [Random(), UnseenPairs(), AllPairsUnseen(), MaxShared(1)])
def test_a_sound_split_passes(policy: Policy) -> None:
    assert all(one.passed and not one.note for one in leaks([table(CLEAN)], table(HELD[:1]), table(HELD[1:]), policy))


@pytest.mark.parametrize(
    ("row", "failed"),
    [
        (("9", frozenset("ca"), ("new",)), {"concept sets", "unseen-pairs"}),
        (("9", frozenset("cab"), ("new",)), {"unseen-pairs"}),
        (("9", frozenset("xy"), ("new", "five")), {"sentences"}),
        (("9", frozenset("xy"), ("six",)), {"sentences"}),
        (("3", frozenset("xy"), ("new",)), {"sentences"}),
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_a_planted_row_is_found_in_any_file(row: Row, failed: set[str], place: int) -> None:
    files = [table(CLEAN), table([])]
    files.insert(place, table([row]))
    found = leaks(files, table(HELD[:1]), table(HELD[1:]), UnseenPairs())
    assert {one.of for one in found if not one.passed} == failed
    notes = {one.of: one.note for one in found if one.note}
    assert notes == {of: "first: id 3" if of == "unseen-pairs" else f"first: id {row[0]}" for of in failed}


def test_a_row_in_validation_and_test_is_found() -> None:
    found = leaks([table(CLEAN)], table(HELD), table(HELD[1:]), Random())
    assert [(one.of, one.measured, one.note) for one in found] == [
        ("concept sets", "1 rows share a set", "first: id 4"),
        ("sentences", "1 rows share a sentence", "first: id 4"),
    ]


@pytest.mark.parametrize(("train", "held"), product([[], CLEAN], [[], HELD]))
def test_splits_may_be_empty(train: list[Row], held: list[Row]) -> None:
    assert all(one.passed for one in leaks([table(train)], table([]), table(held), UnseenPairs()))
