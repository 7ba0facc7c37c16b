"""Packed ids against the hexadecimal digits, and the ids of concept sets against Python's sets."""

from itertools import combinations

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.arrays.ids import id_keys, id_strings, ids_of_sets, pack_ids, unpack_ids

IDS = st.lists(st.text("0123456789abcdef", min_size=20, max_size=20))
SETS = st.lists(st.lists(st.sampled_from("가나다라마"), max_size=4), max_size=12)


@settings(deadline=None)
@given(IDS, st.integers(0, 5), st.integers(1, 4))
def test_packed_ids_come_back(ids: list[str], start: int, size: int) -> None:
    column = pa.chunked_array([pa.array(ids[at : at + size]) for at in range(0, len(ids), size)], pa.string())
    packed = pack_ids(column)
    assert packed.type == pa.binary(10)
    assert packed.to_pylist() == [bytes.fromhex(one) for one in ids]
    assert unpack_ids(packed).tolist() == [one.encode() for one in ids]
    assert unpack_ids(packed.slice(start)).tolist() == [one.encode() for one in ids[start:]]
    texts = id_strings(packed.slice(start))
    texts.validate(full=True)
    assert texts.equals(pa.array(ids[start:], pa.string()))
    head, tail = id_keys(packed.slice(start))
    assert [(int(h) << 16) + int(t) for h, t in zip(head, tail, strict=True)] == [int(one, 16) for one in ids[start:]]


@settings(deadline=None)
@given(SETS)
def test_equal_sets_have_equal_ids(sets: list[list[str]]) -> None:
    ids = ids_of_sets(sets)
    assert all(len(one) == 20 and int(one, 16) >= 0 for one in ids)
    for (left, one), (right, other) in combinations(zip(sets, ids, strict=True), 2):
        assert (set(left) == set(right)) == (one == other)
