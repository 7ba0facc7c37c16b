"""Centralities of all sentences of many postings at once, and their ranks (Korean CommonGen, section 3.1, equation 2).

Every sum runs in an order that the posting alone decides, so a posting gets the same bits in whatever block it is.
"""

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from conceptloom.arrays.types import Float64, Int64

Floats = npt.NDArray[np.floating]
DECIMALS = 5
"""Scores are compared, and stored, rounded to this many decimals: what is below is noise of the summation."""
LONG = 48
"""Postings of more rows are summed one by one: adding them position by position would take a step for each row."""


def ragged_sums(table: Floats, index: npt.NDArray[np.integer], offsets: Int64) -> Floats:
    """Sums of table[index[offsets[g]:offsets[g + 1]]] over each group g, in order; shape (groups, d), dtype of `table`.

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
    """Sums of the rows of each posting, shape (postings, d)."""
    lengths = np.diff(offsets)
    short = np.flatnonzero(lengths <= LONG)
    sums = np.zeros((len(lengths), vectors.shape[1]))
    rows = np.repeat(lengths <= LONG, lengths).nonzero()[0]
    sums[short] = ragged_sums(vectors, rows, np.concatenate(([0], np.cumsum(lengths[short]))))
    for posting in np.flatnonzero(lengths > LONG):
        sums[posting] = vectors[offsets[posting] : offsets[posting + 1]].sum(axis=0)
    return sums


def linear_centralities(vectors: Floats, offsets: Int64) -> Float64:
    """score_i = e_i . sum_j e_j - |e_i|^2 over each posting: all cosines of unit vectors without forming any pair.

    `vectors` has shape (rows, d); its rows are unit vectors, or zero where nothing is known (then the score is 0).
    `offsets` has shape (postings + 1,). Returns shape (rows,). Time and memory are linear in the rows.

    >>> linear_centralities(np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]), np.array([0, 3])).round(5).tolist()
    [0.6, 1.4, 0.8]
    """
    wide = vectors.astype(np.float64, copy=False)
    totals = np.repeat(posting_sums(wide, offsets), np.diff(offsets), axis=0)
    return np.asarray(np.einsum("ij,ij->i", wide, totals - wide))


def pairwise_centralities(similarity: Callable[[int, int], Float64], offsets: Int64) -> Float64:
    """score_i = sum_j y_ij - y_ii from the similarities themselves, for scorers that have no vectors; O(N^2).

    `similarity(start, end)` answers the matrix of shape (end - start, end - start) of the rows start to end.
    The rows of the posting are added from left to right. Returns shape (rows,).
    """
    scores = np.zeros(int(offsets[-1]))
    for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        matrix = np.array(similarity(start, end), dtype=np.float64)
        np.fill_diagonal(matrix, 0.0)
        scores[start:end] = matrix.sum(axis=1)
    return scores


def posting_groups(offsets: Int64, rows: int) -> Iterator[tuple[int, int]]:
    """Ranges (first, last + 1) of whole postings of at most `rows` rows together; a longer posting is a group alone.

    >>> list(posting_groups(np.array([0, 2, 3, 9]), 4))
    [(0, 2), (2, 3)]
    """
    first = 0
    while first < len(offsets) - 1:
        last = int(np.searchsorted(offsets, offsets[first] + rows, side="right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last


def rank_postings(scores: Float64, ids: npt.NDArray[np.bytes_], offsets: Int64) -> npt.NDArray[np.int32]:
    """The rank of each row in its posting, from 1: by score rounded to 5 decimals downwards, then by id upwards.

    `scores` and `ids` (type S20, distinct in a posting) have shape (rows,); returns shape (rows,).

    >>> rank_postings(np.array([0.5, 0.5, 0.9]), np.array([b"b", b"a", b"c"]), np.array([0, 3])).tolist()
    [3, 2, 1]
    """
    lengths = np.diff(offsets)
    postings = np.repeat(np.arange(len(lengths)), lengths)
    order = np.lexsort((*_id_words(ids), -np.round(scores, DECIMALS), postings))
    ranks = np.empty(len(scores), dtype=np.int32)
    ranks[order] = np.arange(len(scores)) - np.repeat(offsets[:-1] - offsets[0], lengths) + 1
    return ranks


def _id_words(ids: npt.NDArray[np.bytes_]) -> list[npt.NDArray[np.uint64]]:
    """Ids as 64-bit numbers that sort alike, the least significant first: sorting numbers takes a third of the time."""
    width = -(-max(ids.dtype.itemsize, 1) // 8) * 8
    words = np.ascontiguousarray(ids.astype(f"S{width}")).view(">u8").reshape(len(ids), width // 8)
    return [words[:, column].astype(np.uint64) for column in reversed(range(width // 8))]
