"""Arrow arrays of Python's strings and of numpy's numbers, made of buffers.

`pyarrow.array` does the same, and imports pandas wherever that is installed: a third of the time of a short command.
"""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from conceptloom.arrays.types import Float64, Int64


def text_array(values: Iterable[str]) -> pa.Array:
    """Returns the strings as an array; raises ArrowCapacityError where they take 2 GiB or more as UTF-8.

    >>> text_array(["a", "나"]).to_pylist()
    ['a', '나']
    """
    every = list(values)
    whole = "".join(every)
    data = whole.encode()
    # What is all ASCII has as many bytes as characters: no string needs to be encoded for its length.
    lengths = map(len, every) if len(data) == len(whole) else (len(value.encode()) for value in every)
    sizes = np.fromiter(lengths, np.int64, len(every))
    offsets = offset_buffer(np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes))))
    return pa.StringArray.from_buffers(len(every), offsets, pa.py_buffer(data))


def float_array(values: Float64) -> pa.Array:
    """Returns the numbers as an array; nan stays nan."""
    return pa.Array.from_buffers(pa.float64(), len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])


def offset_buffer(offsets: Int64) -> pa.Buffer:
    """Returns offsets of strings or lists as Arrow has them; raises ArrowCapacityError where they do not fit."""
    if offsets[-1] > np.iinfo(np.int32).max:
        raise pa.ArrowCapacityError(f"an Arrow array holds 2 GiB at most, not {offsets[-1]:,}")
    return pa.py_buffer(offsets.astype(np.int32))
