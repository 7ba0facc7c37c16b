"""Arrays of buffers against those that `pyarrow.array` makes."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.arrays.building import float_array, offset_buffer, text_array
from conceptloom.arrays.lists import string_lists

TEXTS = st.lists(st.text(max_size=3), max_size=4)


@settings(max_examples=30, deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=4))
def test_texts_and_lists_are_pyarrows(texts: list[str], lists: list[list[str]]) -> None:
    made = text_array(texts)
    made.validate(full=True)
    assert made.equals(pa.array(texts, pa.string()))
    rows = string_lists(lists)
    rows.validate(full=True)
    assert rows.equals(pa.array(lists, pa.list_(pa.string())))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(allow_nan=False)))
def test_numbers_are_pyarrows(values: list[float]) -> None:
    assert float_array(np.array(values)).equals(pa.array(values, pa.float64()))
    assert float_array(np.array([*values, 1.0, 2.0])[::2]).to_pylist() == [*values, 1.0, 2.0][::2]


def test_nan_stays_nan() -> None:
    made = float_array(np.array([np.nan]))
    assert made.null_count == 0 and np.isnan(made[0].as_py())


def test_offsets_that_do_not_fit_are_refused() -> None:
    with pytest.raises(pa.ArrowCapacityError, match="2 GiB at most"):
        offset_buffer(np.array([0, 2**31]))
