"""Hashed concept sets against Python's own sets and itertools."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.arrays.concept_sets import concept_sets, found_in, keys_among, set_hashes, stored_sets, subsets

CONCEPTS = st.lists(st.sampled_from("가나다라마바사아자차"), max_size=7)


def column(rows: Sequence[list[str] | None]) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(rows, pa.list_(pa.string()))])


@settings(deadline=None)
@given(st.lists(CONCEPTS, max_size=30))
def test_set_hashes_are_equal_exactly_where_the_sets_are(rows: list[list[str]]) -> None:
    hashes = set_hashes(concept_sets(column(rows))).tolist()
    for (left, one), (right, other) in combinations(zip(rows, hashes), 2):
        assert (set(left) == set(right)) == (one == other)


@settings(deadline=None)
@given(st.lists(CONCEPTS, max_size=30), st.integers(1, 4))
def test_subsets_are_the_combinations_of_each_row(rows: list[list[str]], width: int) -> None:
    found = subsets(concept_sets(column(rows)), width)
    expected = [
        (row, chosen) for row, concepts in enumerate(rows) for chosen in combinations(sorted(set(concepts)), width)
    ]
    assert sorted(found.rows.tolist()) == sorted(row for row, _ in expected)
    per_row = {(row, key) for row, key in zip(found.rows.tolist(), found.keys.tolist())}
    assert len(per_row) == len(set(expected))
    assert len(set(found.keys.tolist())) == len({chosen for _, chosen in expected})


def test_many_rows_of_one_size_are_cut_into_parts_without_loss() -> None:
    rows: list[list[str] | None] = [[str(number), str(number + 1), "x"] for number in range(20_000)]
    found = subsets(concept_sets(column(rows)), 2)
    assert np.array_equal(np.bincount(found.rows), np.full(20_000, 3))
    assert len(np.unique(found.keys)) == 3 * 20_000 - (20_000 - 1)


@settings(deadline=None)
@given(st.lists(CONCEPTS, max_size=20), st.data())
def test_take_and_keep_are_what_lists_do(rows: list[list[str]], data: st.DataObject) -> None:
    sets = stored_sets(column(rows))
    as_lists = [sets.values[start:end].tolist() for start, end in zip(sets.offsets, sets.offsets[1:])]
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=10)) if rows else []
    taken = sets.take(np.array(chosen, dtype=np.int64))
    assert [taken.values[s:e].tolist() for s, e in zip(taken.offsets, taken.offsets[1:])] == [
        as_lists[i] for i in chosen
    ]
    kept = sets.keep(sets.values % np.uint64(2) == 0)
    evens = [[value for value in row if value % 2 == 0] for row in as_lists]
    assert [kept.values[s:e].tolist() for s, e in zip(kept.offsets, kept.offsets[1:])] == evens


def test_missing_lists_and_slices_keep_their_rows() -> None:
    whole = pa.array([["가"], None, ["나", "다", "나"], []], pa.list_(pa.string()))
    assert concept_sets(whole).sizes.tolist() == [1, 0, 2, 0]
    assert np.array_equal(set_hashes(concept_sets(whole.slice(1))), set_hashes(concept_sets(whole))[1:])
    assert concept_sets(pa.chunked_array([], pa.list_(pa.string()))).sizes.tolist() == []


@settings(deadline=None)
@given(st.lists(st.integers(0, 2**64 - 1)), st.lists(st.integers(0, 2**64 - 1)))
def test_found_in_is_membership(keys: list[int], others: list[int]) -> None:
    values = np.array(keys[::2] + others, dtype=np.uint64)
    found = found_in(np.unique(np.array(keys, dtype=np.uint64)), values)
    assert found.tolist() == [value in set(keys) for value in values.tolist()]
    among = keys_among(np.unique(np.array(keys, dtype=np.uint64)), values)
    assert among.tolist() == [key in set(values.tolist()) for key in sorted(set(keys))]
