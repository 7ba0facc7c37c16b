"""The types of arrays, by the kind of their elements; shapes are said where an array is taken or returned."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Bool: TypeAlias = npt.NDArray[np.bool_]
Int8: TypeAlias = npt.NDArray[np.int8]
Int32: TypeAlias = npt.NDArray[np.int32]
Int64: TypeAlias = npt.NDArray[np.int64]
UInt8: TypeAlias = npt.NDArray[np.uint8]
UInt16: TypeAlias = npt.NDArray[np.uint16]
UInt64: TypeAlias = npt.NDArray[np.uint64]
Float32: TypeAlias = npt.NDArray[np.float32]
Float64: TypeAlias = npt.NDArray[np.float64]

Integers: TypeAlias = npt.NDArray[np.integer]
"""Whole numbers of any width."""

Bytes: TypeAlias = npt.NDArray[np.bytes_]
"""Byte strings of one width, such as ids of type S20."""

Column: TypeAlias = pa.Array | pa.ChunkedArray
"""A column of a table or of a record batch."""
