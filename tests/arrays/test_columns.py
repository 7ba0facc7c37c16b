"""Columns as one array, and strings of one width, whatever the chunks and slices."""

import numpy as np
import pyarrow as pa
import pytest

from conceptloom.arrays.columns import one_array, repeated, strings
from conceptloom.hashing import text_id

IDS = [text_id(str(number)) for number in range(12)]


@pytest.mark.parametrize("size", [2, 5, 100])
def test_strings_of_one_width(size: int) -> None:
    column = pa.chunked_array([pa.array(IDS[start : start + size]) for start in range(0, len(IDS), size)])
    expected = [one.encode() for one in IDS]
    assert strings(column, 20).tolist() == expected
    assert strings(column.slice(3, 5), 20).tolist() == expected[3:8]
    assert strings(pa.array(IDS).slice(5), 20).tolist() == expected[5:]
    assert strings(pa.chunked_array([], pa.string()), 20).dtype == np.dtype("S20")
    assert len(strings(column.slice(0, 0), 20)) == 0


def test_strings_of_another_width_are_refused() -> None:
    with pytest.raises(pa.ArrowInvalid):
        strings(pa.array(["abc", "ab"]), 3)


def test_one_array_of_no_some_and_many_chunks() -> None:
    for chunks in ([], [["a"]], [["a", "b"], [], ["c"]]):
        column = pa.chunked_array([pa.array(chunk, pa.string()) for chunk in chunks], pa.string())
        assert isinstance(one_array(column), pa.Array)
        assert one_array(column).to_pylist() == [value for chunk in chunks for value in chunk]


@pytest.mark.parametrize("rows", [0, 1, 70_000])
def test_a_repeated_value_is_kept_once(rows: int) -> None:
    column = repeated("개", rows)
    column.validate(full=True)
    assert column.to_pylist() == ["개"] * rows
    assert len(column.dictionary) == 1
