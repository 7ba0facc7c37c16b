"""Stable hashes: ids, buckets and seeded priorities that are the same in every process, on every runner."""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
import pyarrow as pa

from conceptloom.arrays.building import offset_buffer
from conceptloom.arrays.types import Bytes, Int32, Integers, UInt8, UInt64

ID_BYTES = 10
ID_LENGTH = 2 * ID_BYTES
_ID_HEAD = 16

_HEX_VALUE = np.zeros(256, dtype=np.uint8)
_HEX_VALUE[np.frombuffer(b"0123456789abcdef", dtype=np.uint8)] = np.arange(16, dtype=np.uint8)
_MIXING = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
_WORD = 8
_FIRST_BYTES = np.array([(1 << (8 * count)) - 1 for count in range(_WORD + 1)], dtype=np.uint64)
"""By number of bytes: the mask that keeps so many leading bytes of a little-endian word."""


def text_id(text: str) -> str:
    """Returns the id of a text: 20 hexadecimal digits (80 bits) of its BLAKE2b hash.

    Two of a billion texts share an id with a probability below 1e-6.
    """
    return _id_digest(text).hex()


def text_ids(texts: Iterable[str]) -> pa.StringArray:
    """Returns the id of each text."""
    digits = b"".join(map(_id_digest, texts)).hex().encode()
    count = len(digits) // ID_LENGTH
    offsets = np.arange(count + 1, dtype=np.int64) * ID_LENGTH
    return pa.StringArray.from_buffers(count, offset_buffer(offsets), pa.py_buffer(digits))


def _id_digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=ID_BYTES).digest()


def text_hash(text: str) -> int:
    """Returns 64 bits of a text's BLAKE2b hash, as an unsigned integer."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def content_hash(data: bytes) -> str:
    """Returns the hash of a file's content, as in the entries of a manifest: 128 bits of BLAKE2b in hexadecimal."""
    return blake2b(data, digest_size=16).hexdigest()


def string_hashes(column: pa.Array) -> UInt64:
    """Returns a 64-bit hash of each string, shape (n,): splitmix64 chained over the string's words of eight bytes.

    Thirty times faster than hashing them one by one. Among a million strings two collide with a probability of 3e-8.

    >>> string_hashes(pa.array(["개", ""])).tolist()
    [15810032347800510996, 16294208416658607535]
    """
    binary = column.cast(pa.large_binary())
    _, offsets, data = binary.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[binary.offset : binary.offset + len(binary) + 1]
    lengths = np.diff(ends)
    # Eight more bytes, so that the last word of the last string can be read as a whole.
    octets = np.concatenate((np.frombuffer(data or b"", dtype=np.uint8), np.zeros(_WORD, dtype=np.uint8)))
    windows = np.lib.stride_tricks.sliding_window_view(octets, _WORD)
    hashes = splitmix64(lengths.astype(np.uint64))
    for place in range(0, int(lengths.max(initial=0)), _WORD):
        rows = np.flatnonzero(lengths > place)
        words = (
            windows[ends[rows] + place].view("<u8").reshape(-1) & _FIRST_BYTES[np.minimum(lengths[rows] - place, _WORD)]
        )
        hashes[rows] = splitmix64(hashes[rows] ^ words)
    return hashes


def hex_values(digits: UInt8) -> UInt8:
    """Returns the values of hexadecimal digits given as ASCII codes, shape kept."""
    return _HEX_VALUE[digits]


def id_heads(ids: Bytes) -> UInt64:
    """Returns the leading 64 bits of ids of type S20, shape (n,): the basis of seeds and buckets."""
    digits = np.ascontiguousarray(ids, dtype=f"S{ID_LENGTH}").view(np.uint8).reshape(-1, ID_LENGTH)[:, :_ID_HEAD]
    heads = np.zeros(len(ids), dtype=np.uint64)
    for column in range(_ID_HEAD):
        heads = (heads << np.uint64(4)) | hex_values(digits[:, column]).astype(np.uint64)
    return heads


def bucket_of(heads: UInt64, buckets: int) -> Int32:
    """Returns the bucket of each hash, by range: bucket 0 holds the smallest, so buckets in order are ids in order."""
    return (((heads >> np.uint64(32)) * np.uint64(buckets)) >> np.uint64(32)).astype(np.int32)


def splitmix64(values: Integers | np.uint64) -> UInt64:
    """Returns Sebastiano Vigna's splitmix64 finaliser of each value, shape kept: a cheap seeded priority."""
    with np.errstate(over="ignore"):
        mixed = np.asarray(values, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in _MIXING:
            mixed ^= mixed >> shift
            mixed *= factor
        mixed ^= mixed >> np.uint64(31)
        return mixed


def seed_for(name: str, seed: int) -> np.uint64:
    """Returns the 64-bit seed of one use of randomness: its name and the user's seed, hashed together."""
    return np.uint64(text_hash(f"{name}:{seed}"))
