"""Exact duplicates: the order of raw rows, and the first of equal ids."""

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.corpus.duplicates import first_places, sort_raw
from conceptloom.schemas import RAW

PLACE = ("file", "record", "item", "sentence")
PLACES = st.tuples(st.integers(0, 2), st.integers(1, 12), st.integers(0, 2), st.integers(0, 2))


@settings(deadline=None)
@given(st.lists(st.binary(min_size=2, max_size=2)))
def test_the_first_place_of_each_id(ids: list[bytes]) -> None:
    ordered = sorted(one.hex() for one in ids)
    assert first_places(np.array(ordered, dtype="S4")).tolist() == [ordered.index(one) for one in ordered]


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), PLACES), unique=True))
def test_rows_are_in_the_order_of_id_and_place(rows: list[tuple[str, tuple[int, int, int, int]]]) -> None:
    records = [{"id": one, "text": f"{one}{place}", **dict(zip(PLACE, place, strict=True))} for one, place in rows]
    table = sort_raw(pa.Table.from_pylist(records, schema=RAW))
    assert table["text"].to_pylist() == [f"{one}{place}" for one, place in sorted(rows)]
