"""Rows of several values each: all values one after the other, and the offsets at which the rows begin and end."""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.building import offset_buffer, text_array
from conceptloom.arrays.columns import one_array
from conceptloom.arrays.runs import gather
from conceptloom.arrays.types import Bool, Column, Int32, Int64, Integers, UInt64


class Lists(NamedTuple):
    """Rows of numbers: row i is `values[offsets[i]:offsets[i + 1]]`; offsets have shape (rows + 1,)."""

    values: Int32
    offsets: Int64

    @property
    def sizes(self) -> Int64:
        """How many numbers each row has, shape (rows,)."""
        return np.diff(self.offsets)

    def take(self, rows: Int64) -> "Lists":
        """Returns the given rows, in the order given."""
        sizes = self.sizes[rows]
        return Lists(self.values[gather(self.offsets[rows], sizes)], offsets_of(sizes))

    def to_arrow(self) -> pa.ListArray:
        """Returns the rows as an Arrow array of lists of int32."""
        return list_array(self.values, self.offsets)

    @classmethod
    def from_arrow(cls, column: Column) -> "Lists":
        """The inverse of `to_arrow`, also for a slice or a chunked column. A missing list is an empty row."""
        lists = one_array(column)
        return cls(lists.flatten().to_numpy(zero_copy_only=False), offsets_of(list_sizes(lists)))


def offsets_of(sizes: Integers | Bool) -> Int64:
    """Returns where each of the rows of these sizes begins, and where the last one ends; shape (len(sizes) + 1,)."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)))


def list_sizes(lists: pa.Array) -> Int64:
    """Returns the number of values of each row of an Arrow array of lists, 0 for a missing list; shape (rows,)."""
    sizes = pc.fill_null(pc.list_value_length(lists), 0)
    return np.asarray(sizes.to_numpy(zero_copy_only=False), dtype=np.int64)


def list_array(values: Int32 | UInt64 | pa.Array, offsets: Int64) -> pa.ListArray:
    """Returns the Arrow array whose row i is `values[offsets[i]:offsets[i + 1]]`; `offsets` has shape (rows + 1,)."""
    items = values if isinstance(values, pa.Array) else pa.array(values)
    return pa.Array.from_buffers(
        pa.list_(items.type), len(offsets) - 1, [None, offset_buffer(offsets)], children=[items]
    )


def string_lists(rows: Sequence[Sequence[str]]) -> pa.ListArray:
    """Returns lists of strings as an Arrow array."""
    offsets = offsets_of(np.fromiter(map(len, rows), np.int64, len(rows)))
    return list_array(text_array(chain.from_iterable(rows)), offsets)


def join_terms(terms: pa.Array, rows: Lists, separator: str) -> pa.Array:
    """Returns the terms of each row, whose numbers are their places among `terms`, joined to one string.

    >>> join_terms(text_array("xyz"), Lists(np.array([2, 0, 1]), np.array([0, 2, 2, 3])), "#").to_pylist()
    ['z#x', '', 'y']
    """
    leads = np.zeros(len(rows.values), dtype=np.bool_)
    leads[rows.offsets[:-1][rows.sizes > 0]] = True
    # All but the first term of a row bring the separator along, so the terms' own bytes are the joined strings.
    pieces = pa.concat_arrays([terms, pc.binary_join_element_wise(separator, terms, "")])
    joined = pieces.take(pa.array(np.where(leads, rows.values, rows.values + len(terms))))
    _, ends, data = joined.buffers()
    places = np.frombuffer(ends, dtype=np.int32, count=len(joined) + 1)[rows.offsets]
    return pa.StringArray.from_buffers(len(rows.sizes), pa.py_buffer(places), data)


def without(lists: Column, values: Sequence[str]) -> pa.ListArray:
    """Returns lists of strings without some of their values."""
    rows = one_array(lists)
    items = rows.flatten()
    keep = pc.invert(pc.is_in(items, value_set=text_array(values)))
    left = np.bincount(pc.list_parent_indices(rows).filter(keep).to_numpy(), minlength=len(rows))
    return list_array(items.filter(keep), offsets_of(left))
