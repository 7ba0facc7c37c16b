"""Linear centralities against all pairs, and ranks against sorting in Python."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.similarity.centrality import (
    LONG,
    linear_centralities,
    pairwise_centralities,
    posting_groups,
    ragged_sums,
    rank_order,
)

SIZES = st.lists(st.integers(0, 9) | st.integers(LONG - 1, LONG + 2), max_size=8)


def offsets_of(sizes):
    return np.concatenate(([0], np.cumsum(np.array(sizes, dtype=np.int64)))).astype(np.int64)


def unit_vectors(rows, seed, dimensions=7):
    vectors = np.random.default_rng(seed).normal(size=(rows, dimensions))
    vectors[::5] = 0.0
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


@settings(deadline=None)
@given(SIZES, st.integers(0, 2**32))
def test_linear_identity_equals_all_pairs(sizes, seed):
    offsets = offsets_of(sizes)
    vectors = unit_vectors(offsets[-1], seed)
    oracle = pairwise_centralities(lambda start, end: vectors[start:end] @ vectors[start:end].T, offsets)
    np.testing.assert_allclose(linear_centralities(vectors, offsets), oracle, atol=1e-9)


@settings(deadline=None)
@given(SIZES, st.integers(0, 2**32))
def test_a_posting_gets_the_same_bits_in_every_block(sizes, seed):
    offsets = offsets_of(sizes)
    vectors = unit_vectors(offsets[-1], seed)
    together = linear_centralities(vectors, offsets)
    for start, end in pairwise(offsets):
        alone = linear_centralities(vectors[start:end].copy(), np.array([0, end - start]))
        assert alone.tobytes() == together[start:end].tobytes()


def test_zero_vectors_score_zero_and_count_for_nothing():
    vectors = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    assert linear_centralities(vectors, np.array([0, 3])).tolist() == [1.0, 0.0, 1.0]


def test_a_posting_of_one_sentence_scores_exactly_zero():
    vectors = unit_vectors(4, 3)
    assert linear_centralities(vectors, np.arange(5)).tolist() == [0.0] * 4


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 4), max_size=6), max_size=8))
def test_ragged_sums_equal_a_loop(groups):
    table = np.random.default_rng(1).normal(size=(5, 3))
    index = np.array([i for group in groups for i in group], dtype=np.int64)
    expected = [table[group].sum(axis=0) if group else np.zeros(3) for group in groups]
    found = ragged_sums(table, index, offsets_of([len(group) for group in groups]))
    np.testing.assert_allclose(found, np.array(expected).reshape(-1, 3), atol=1e-12)


@settings(deadline=None)
@given(SIZES, st.integers(1, 60))
def test_groups_hold_every_posting_once_and_stay_small(sizes, rows):
    offsets = offsets_of(sizes)
    groups = list(posting_groups(offsets, rows))
    assert [p for first, last in groups for p in range(first, last)] == list(range(len(sizes)))
    assert all(offsets[last] - offsets[first] <= rows or last == first + 1 for first, last in groups)


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), max_size=6), max_size=6))
def test_the_order_equals_sorting_by_score_then_place(postings):
    offsets = offsets_of([len(posting) for posting in postings])
    scores = np.array([value / 7 for posting in postings for value in posting])
    expected = [
        row
        for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
        for row in sorted(range(start, end), key=lambda row: (-round(scores[row], 5), row))
    ]
    assert rank_order(scores, offsets).tolist() == expected


@pytest.mark.parametrize(("difference", "order"), [(4e-7, [0, 1]), (2e-5, [1, 0])])
def test_differences_below_five_decimals_are_ties(difference, order):
    assert rank_order(np.array([0.5, 0.5 + difference]), np.array([0, 2])).tolist() == order


def test_no_postings():
    assert linear_centralities(np.zeros((0, 4)), np.array([0])).shape == (0,)
    assert rank_order(np.zeros(0), np.array([0])).shape == (0,)
