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


def strings(column: Column, width: int) -> Bytes:
    """Returns a column of strings of exactly `width` ASCII characters as a numpy array of type S<width>."""
    fixed = one_array(column).cast(pa.binary()).cast(pa.binary(width))
    data = fixed.buffers()[1]
    raw = np.frombuffer(data, dtype=f"S{width}") if data is not None else np.zeros(0, dtype=f"S{width}")
    return raw[fixed.offset : fixed.offset + len(fixed)]


def truths(column: Column) -> Bool:
    """Returns a column of truth values without missing ones as a numpy array, shape (rows,)."""
    return np.asarray(one_array(column).to_numpy(zero_copy_only=False), dtype=np.bool_)
