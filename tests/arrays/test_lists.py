"""Rows of several values against plain lists."""

from itertools import accumulate

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.arrays.lists import Lists, list_sizes, offsets_of, string_lists, without

NUMBERS = pa.list_(pa.int32())
ROWS = st.lists(st.none() | st.lists(st.integers(0, 9), max_size=4), max_size=12)


def rows_of(lists: Lists) -> list[list[int]]:
    return [lists.values[start:end].tolist() for start, end in zip(lists.offsets, lists.offsets[1:])]


@settings(deadline=None)
@given(ROWS, st.integers(0, 12), st.integers(1, 5))
def test_rows_come_back_from_slices_and_chunks(rows: list[list[int] | None], start: int, size: int) -> None:
    chunks = [pa.array(rows[at : at + size], NUMBERS) for at in range(0, len(rows), size)]
    column = pa.chunked_array(chunks, NUMBERS).slice(start)
    expected = [row or [] for row in rows[start:]]
    lists = Lists.from_arrow(column)
    assert rows_of(lists) == lists.to_arrow().to_pylist() == expected
    assert lists.to_arrow().type == NUMBERS
    assert lists.sizes.tolist() == [len(row) for row in expected]
    assert list_sizes(pa.array(rows, NUMBERS)).tolist() == [len(row or []) for row in rows]


@settings(deadline=None)
@given(ROWS, st.data())
def test_taken_rows_are_those_of_a_list(rows: list[list[int] | None], data: st.DataObject) -> None:
    lists = Lists.from_arrow(pa.array(rows, NUMBERS))
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=10)) if rows else []
    assert rows_of(lists.take(np.array(chosen, dtype=np.int64))) == [rows[row] or [] for row in chosen]


@settings(deadline=None)
@given(st.lists(st.integers(0, 9)))
def test_offsets_are_running_sums(sizes: list[int]) -> None:
    assert offsets_of(np.array(sizes, dtype=np.int32)).tolist() == list(accumulate(sizes, initial=0))


@settings(deadline=None)
@given(st.lists(st.lists(st.text("가나 다.a", max_size=6))))
def test_string_lists(rows: list[list[str]]) -> None:
    assert string_lists(rows).to_pylist() == rows
    assert string_lists(rows).type == pa.list_(pa.string())


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcd"))), st.sets(st.sampled_from("abc")), st.integers(0, 3))
def test_lists_without_some_values(rows: list[list[str]], values: set[str], start: int) -> None:
    column = pa.chunked_array([string_lists(rows)]).slice(start)
    assert without(column, sorted(values)).to_pylist() == [[x for x in row if x not in values] for row in rows[start:]]
