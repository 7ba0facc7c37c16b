"""Centralities of all sentences of many postings at once, and their ranks (Korean CommonGen, section 3.1, equation 2).

Every sum runs in an order that depends on the posting alone, so a posting gets the same bits in any block.
"""

from collections.abc import Callable, Iterator

import numpy as np

from conceptloom.arrays.lists import offsets_of
from conceptloom.arrays.types import Float32, Float64, Int64, Integers

DECIMALS = 5
"""Scores are compared and stored rounded to this many decimals: beyond them there is only noise of the summation."""
LONG = 48
"""Longer postings are summed one by one: adding them position by position would take a step for each row."""


def ragged_sums(table: Float32 | Float64, index: Integers, offsets: Int64) -> Float32 | Float64:
    """Returns the sums of table[index[offsets[g]:offsets[g + 1]]] for each group g, in order.

    Shape (groups, d), with the dtype of `table`.

    Groups are sorted by length and added position by position, a step for each position of the longest group;
    np.add.reduceat takes three times as long.

    >>> ragged_sums(np.array([[1.0], [10.0], [100.0]]), np.array([0, 2, 1]), np.array([0, 2, 2, 3])).ravel().tolist()
    [101.0, 0.0, 10.0]
    """
    lengths = np.diff(offsets)
    order = np.argsort(-lengths, kind="stable")
    starts, sorted_lengths = offsets[:-1][order], lengths[order]
    sums = np.zeros((len(order), table.shape[1]), dtype=table.dtype)
    for position in range(int(lengths.max(initial=0))):
        longer = int(np.searchsorted(-sorted_lengths, -position))
        sums[:longer] += table[index[starts[:longer] + position]]
    unsorted = np.empty_like(sums)
    unsorted[order] = sums
    return unsorted


def posting_sums(vectors: Float64, offsets: Int64) -> Float64:
    """Returns the sums of the rows of each posting, shape (postings, d)."""
    lengths = np.diff(offsets)
    short = np.flatnonzero(lengths <= LONG)
    sums = np.zeros((len(lengths), vectors.shape[1]))
    rows = np.repeat(lengths <= LONG, lengths).nonzero()[0]
    sums[short] = ragged_sums(vectors, rows, offsets_of(lengths[short]))
    for posting in np.flatnonzero(lengths > LONG):
        sums[posting] = vectors[offsets[posting] : offsets[posting + 1]].sum(axis=0)
    return sums


def linear_centralities(vectors: Float32 | Float64, offsets: Int64) -> Float64:
    """Returns score_i = e_i . sum_j e_j - |e_i|^2 over each posting, shape (rows,).

    That is the sum of the cosines with all other rows (equation 2), computed without forming any pair.

    `vectors` has shape (rows, d); its rows are unit vectors, or zero where nothing is known (then the score is 0).
    `offsets` has shape (postings + 1,). Time and memory are linear in the rows.

    >>> linear_centralities(np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]), np.array([0, 3])).round(5).tolist()
    [0.6, 1.4, 0.8]
    """
    wide = vectors.astype(np.float64, copy=False)
    others = np.repeat(posting_sums(wide, offsets), np.diff(offsets), axis=0)
    others -= wide
    return np.asarray(np.einsum("ij,ij->i", wide, others))


def pairwise_centralities(similarity: Callable[[int, int], Float64], offsets: Int64) -> Float64:
    """Returns score_i = sum_j y_ij - y_ii (equation 2), shape (rows,), for scorers that have no vectors; O(N^2).

    `similarity(start, end)` returns the matrix of shape (end - start, end - start) of the rows start to end.
    The similarities of a row are added from left to right.
    """
    scores = np.zeros(int(offsets[-1]))
    for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        matrix = np.array(similarity(start, end), dtype=np.float64)
        np.fill_diagonal(matrix, 0.0)
        scores[start:end] = matrix.sum(axis=1)
    return scores


def posting_groups(offsets: Int64, rows: int) -> Iterator[tuple[int, int]]:
    """Yields ranges (first, last + 1) of postings with at most `rows` rows together; a longer posting stands alone.

    >>> list(posting_groups(np.array([0, 2, 3, 9]), 4))
    [(0, 2), (2, 3)]
    """
    first = 0
    while first < len(offsets) - 1:
        last = int(np.searchsorted(offsets, offsets[first] + rows, side="right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last


def rank_order(scores: Float64, offsets: Int64) -> Int64:
    """Returns the order by rank of rows that stand by posting and id: scores (to 5 decimals) descend, then ids ascend.

    `scores` has shape (rows,), and so has the order, in which the postings stand as before.

    >>> rank_order(np.array([0.5, 0.5, 0.9]), np.array([0, 3])).tolist()
    [2, 0, 1]
    """
    postings = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    # A stable sort: equal scores stay in the order of their ids.
    return np.lexsort((-np.round(scores, DECIMALS), postings))
