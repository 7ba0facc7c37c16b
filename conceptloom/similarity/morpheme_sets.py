"""Sentences as sets of numbers: the set of content morphemes of each row, looked up once for each distinct morpheme.

A set, not a bag: where a morpheme counts as often as it occurs, a fifth of the top sentences of a posting are those
that repeat its keyword (measured; 1.7 % with sets), at no gain in correlation with human judgement.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from conceptloom.arrays.types import Int64

Int32 = npt.NDArray[np.int32]
Lookup = Callable[[list[str]], tuple[Int64, Int64]]
"""For n distinct morphemes: how many numbers stand for each, shape (n,), and these numbers, one after the other."""


def flat_codes(morphemes: pa.Array) -> tuple[Int64, Int64, list[str]]:
    """The morphemes of all rows one after the other: their rows, their codes, and the distinct morphemes coded."""
    lengths = morphemes.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    encoded = morphemes.flatten().dictionary_encode()
    rows = np.repeat(np.arange(len(morphemes)), lengths)
    return rows, encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist()


def gather_ranges(starts: Int64, counts: Int64) -> Int64:
    """The numbers starts[i], starts[i] + 1, … (counts[i] of them) of each i, one after the other.

    >>> gather_ranges(np.array([5, 0]), np.array([2, 1])).tolist()
    [5, 6, 0]
    """
    before = np.cumsum(counts) - counts
    return np.asarray(np.repeat(starts - before, counts) + np.arange(counts.sum()))


def encode_sets(morphemes: pa.Array, lookup: Lookup) -> pa.Array:
    """list<int32>: the sorted distinct numbers of each row's morphemes; unknown morphemes have none.

    Sorted, so that equal sets are added up in the same order and get the same bits.
    """
    rows, codes, distinct = flat_codes(morphemes)
    counts, numbers = lookup(distinct)
    starts = np.cumsum(counts) - counts
    found = numbers[gather_ranges(starts[codes], counts[codes])]
    span = int(found.max(initial=0)) + 1
    # Rows come in order, so this is nearly sorted: a merge sort beats the hash table of np.unique.
    keys = np.sort(np.repeat(rows, counts[codes]) * span + found, kind="stable")
    keys = keys[np.append(True, keys[1:] != keys[:-1])[: len(keys)]]
    lengths = np.bincount(keys // span, minlength=len(morphemes))
    return list_array(lengths, (keys % span).astype(np.int32))


def list_array(lengths: Int64, values: Int32) -> pa.Array:
    """The list<int32> array of rows of these lengths."""
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values))


def set_parts(features: pa.Array) -> tuple[Int32, Int64]:
    """The numbers of all rows of a list<int32> array, and the offsets of the rows, shape (rows + 1,)."""
    lengths = features.value_lengths().to_numpy()
    return features.flatten().to_numpy(), np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
