"""Ids: 20 hexadecimal digits as text, or packed into 10 bytes; and the ids of concept sets.

The same concept set has the same id in every build, table and list of tasks.
"""

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa

from conceptloom.arrays.building import offset_buffer
from conceptloom.arrays.columns import one_array, strings
from conceptloom.arrays.concept_sets import concept_sets, set_hashes
from conceptloom.arrays.types import Bytes, Column, UInt8, UInt16, UInt64
from conceptloom.hashing import ID_BYTES, ID_LENGTH, hex_values, splitmix64
from conceptloom.schemas import STRINGS

_DIGITS = np.array([f"{octet:02x}" for octet in range(256)], dtype="S2").view(np.uint16)
"""The two hexadecimal digits of each byte, as one number: numpy picks these faster than strings."""


def pack_ids(ids: Column) -> pa.Array:
    """Returns ids of 20 hexadecimal digits as 10 bytes each: half the size in a shuffle."""
    return pack_digits(strings(ids, ID_LENGTH))


def pack_digits(ids: Bytes) -> pa.Array:
    """Returns the same of ids as a numpy array of type S20."""
    values = hex_values(np.ascontiguousarray(ids).view(np.uint8).reshape(-1, ID_LENGTH))
    return _packed(np.asarray((values[:, 0::2] << 4) | values[:, 1::2], dtype=np.uint8))


def unpack_ids(packed: Column) -> Bytes:
    """The inverse of `pack_ids`, as a numpy array of type S20."""
    return _DIGITS.take(_id_bytes(packed)).reshape(-1).view(f"S{ID_LENGTH}")


def id_strings(packed: Column) -> pa.Array:
    """The inverse of `pack_ids`, as an Arrow array of strings."""
    return _id_strings(_id_bytes(packed))


def _id_strings(octets: UInt8) -> pa.Array:
    """The rows of a matrix of shape (rows, ID_BYTES) as strings of hexadecimal digits."""
    offsets = offset_buffer(np.arange(len(octets) + 1) * ID_LENGTH)
    return pa.StringArray.from_buffers(len(octets), offsets, pa.py_buffer(_DIGITS.take(octets)))


def id_keys(packed: Column) -> tuple[UInt64, UInt16]:
    """Returns packed ids as two sort keys: the leading 64 bits and the last 16, each of shape (rows,)."""
    data = _id_bytes(packed)
    head = np.ascontiguousarray(data[:, :8]).view(">u8").reshape(-1).astype(np.uint64)
    return head, np.ascontiguousarray(data[:, 8:]).view(">u2").reshape(-1).astype(np.uint16)


def set_ids(sets: UInt64) -> pa.Array:
    """Returns ids of concept sets: 20 hexadecimal digits like a sentence's, the first 16 of them the set's hash."""
    octets = np.empty((len(sets), ID_BYTES), dtype=np.uint8)
    octets[:, :8] = sets.astype(">u8").view(np.uint8).reshape(-1, 8)
    octets[:, 8:] = splitmix64(sets).astype(">u8").view(np.uint8).reshape(-1, 8)[:, : ID_BYTES - 8]
    return _id_strings(octets)


def ids_of_sets(sets: Sequence[Collection[str]]) -> list[str]:
    """Returns the id of each concept set. Neither the order of its concepts nor a repeated concept changes the id."""
    ids: list[str] = set_ids(set_hashes(concept_sets(pa.array(map(list, sets), STRINGS)))).to_pylist()
    return ids


def _packed(octets: UInt8) -> pa.Array:
    """The rows of a matrix of shape (rows, ID_BYTES) as fixed-size binary values."""
    return pa.Array.from_buffers(pa.binary(ID_BYTES), len(octets), [None, pa.py_buffer(octets.tobytes())])


def _id_bytes(packed: Column) -> UInt8:
    """The inverse of `_packed`."""
    joined = one_array(packed)
    if len(joined) == 0:
        return np.zeros((0, ID_BYTES), dtype=np.uint8)
    # A buffer that was read from a stream is padded behind its last row.
    raw = np.frombuffer(joined.buffers()[1], dtype=np.uint8, offset=joined.offset * ID_BYTES)
    return raw[: len(joined) * ID_BYTES].reshape(-1, ID_BYTES)
