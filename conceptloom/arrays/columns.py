"""Arrow columns in the one form that numpy can read."""

import numpy as np
import pyarrow as pa

from conceptloom.arrays.types import Bool, Bytes, Column


def one_array(column: Column) -> pa.Array:
    """Returns the column, chunked or not, as one array."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def repeated(value: str, rows: int) -> pa.DictionaryArray:
    """Returns a column that has the value in every row, kept once.

    >>> repeated("a", 2).to_pylist()
    ['a', 'a']
    """
    return pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows), pa.repeat(value, 1))


def strings(column: Column, width: int) -> Bytes:
    """Returns a column of strings of exactly `width` ASCII characters as a numpy array of type S<width>."""
    fixed = one_array(column).cast(pa.binary()).cast(pa.binary(width))
    data = fixed.buffers()[1]
    raw = np.frombuffer(data, dtype=f"S{width}") if data is not None else np.zeros(0, dtype=f"S{width}")
    return raw[fixed.offset : fixed.offset + len(fixed)]


def truths(column: Column) -> Bool:
    """Returns a column of truth values without missing ones as a numpy array, shape (rows,)."""
    return np.asarray(one_array(column).to_numpy(zero_copy_only=False), dtype=np.bool_)
