"""Runs of equal keys and the places within them, against itertools."""

from itertools import chain, groupby

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.arrays.runs import distinct, equal_runs, gather, hash_order, is_first, positions, run_starts

KEYS = st.lists(st.integers(0, 5), max_size=30)


@settings(deadline=None)
@given(KEYS, st.sampled_from([6, 1 << 62]))
def test_runs_are_those_of_a_stable_sort(keys: list[int], bound: int) -> None:
    runs = equal_runs(np.array(keys, dtype=np.int64), bound)
    order = sorted(range(len(keys)), key=keys.__getitem__)
    assert runs.order.tolist() == order
    groups = [list(group) for _, group in groupby(order, key=keys.__getitem__)]
    assert [runs.order[start : start + size].tolist() for start, size in zip(runs.starts, runs.sizes)] == groups
    assert runs.numbers().tolist() == [sorted(set(keys)).index(key) for key in keys]


@settings(deadline=None)
@given(KEYS)
def test_runs_of_neighbours(keys: list[int]) -> None:
    sizes = [len(list(group)) for _, group in groupby(keys)]
    for values in (np.array(keys, dtype=np.int64), np.array([f"{key}" for key in keys], dtype="S1")):
        assert is_first(values).tolist() == list(chain.from_iterable([True] + [False] * (size - 1) for size in sizes))
        assert np.diff(run_starts(values), append=len(keys)).tolist() == sizes


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 4))))
def test_gathered_places_are_those_of_ranges(ranges: list[tuple[int, int]]) -> None:
    starts, sizes = (np.array([pair[at] for pair in ranges], dtype=np.int64) for at in (0, 1))
    assert gather(starts, sizes).tolist() == [start + step for start, size in ranges for step in range(size)]
    assert positions(sizes).tolist() == [step for _, size in ranges for step in range(size)]


@settings(deadline=None)
@given(st.lists(st.one_of(st.integers(0, 9), st.integers(0, 2**64 - 1)), max_size=30))
def test_hashes_are_in_the_order_of_a_stable_sort(hashes: list[int]) -> None:
    # Small numbers differ in the lowest bits alone, which hashes hardly ever do.
    keys = np.array(hashes, dtype=np.uint64)
    assert hash_order(keys).tolist() == sorted(range(len(hashes)), key=hashes.__getitem__)
    assert distinct(keys).tolist() == sorted(set(hashes))
