"""Postings: for each concept the sentences that hold it, at most N_s of them (Korean CommonGen, section 3.1)."""

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.hashing import ID_BYTES, ID_LENGTH, hex_values, seed_for, splitmix64, string_hashes
from conceptloom.tables import one_array, strings

Unit = Literal["concept", "morpheme"]
Int64 = npt.NDArray[np.int64]
UInt64 = npt.NDArray[np.uint64]
UInt16 = npt.NDArray[np.uint16]


def posting_schema(features: pa.DataType) -> pa.Schema:
    """The schema of posting rows on their way to their posting: the sentence's features travel along."""
    return pa.schema(
        [("concept", pa.string()), ("source", pa.string()), ("id", pa.binary(ID_BYTES)), ("features", features)]
    )


class Keys(NamedTuple):
    """What tells postings and sentences apart, for each posting row; all of shape (rows,)."""

    posting: Int64
    """The posting's number, in the order of (concept, source)."""
    concept: UInt64
    """The hash of the concept."""
    head: UInt64
    """The leading 64 bits of the sentence's id."""
    tail: UInt16
    """Its last 16 bits."""

    def take(self, rows: Int64) -> "Keys":
        """The keys of some rows."""
        return Keys(self.posting[rows], self.concept[rows], self.head[rows], self.tail[rows])


def explode(sentences: pa.Table, unit: Unit) -> tuple[Int64, pa.Array]:
    """A posting row for each concept of each sentence: the sentence's row, and the concept; both of shape (rows,).

    With unit `morpheme` the postings are those of the single content morphemes, each once a sentence.
    """
    lists = sentences["concepts" if unit == "concept" else "morphemes"].combine_chunks()
    rows, concepts = pc.list_parent_indices(lists).to_numpy(), pc.list_flatten(lists)
    if unit == "concept":
        return rows, concepts
    codes = concepts.dictionary_encode().indices.to_numpy().astype(np.int64)
    _, first = np.unique(rows * (codes.max(initial=0) + 1) + codes, return_index=True)
    first.sort()
    return rows[first], concepts.take(pa.array(first))


def posting_keys(concepts: Any, sources: Any, ids: Any, rows: Int64 | None = None, per_source: bool = True) -> Keys:
    """The keys of posting rows. `sources` and `ids` (packed) are of the sentences that `rows` index, or of each row."""
    at: Any = slice(None) if rows is None else rows
    codes, names = _encoded(concepts)
    hashes = string_hashes(names)[codes]
    if per_source:
        source_codes, source_names = _encoded(sources)
        codes = codes * max(len(source_names), 1) + source_codes[at]
    head, tail = id_keys(ids)
    return Keys(codes, hashes, head[at], tail[at])


def _encoded(column: Any) -> tuple[Int64, pa.Array]:
    """Numbers in the order of the distinct values, and these values."""
    encoded = one_array(column).dictionary_encode()
    order = np.asarray(pc.sort_indices(encoded.dictionary), dtype=np.int64)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[encoded.indices.to_numpy()], encoded.dictionary.take(pa.array(order))


def pack_ids(ids: Any) -> pa.Array:
    """Ids of 20 hexadecimal digits as 10 bytes each: half the size on their way."""
    digits = np.ascontiguousarray(strings(ids, ID_LENGTH)).view(np.uint8).reshape(-1, ID_LENGTH)
    values = hex_values(digits)
    data = ((values[:, 0::2] << 4) | values[:, 1::2]).astype(np.uint8)
    return pa.Array.from_buffers(pa.binary(ID_BYTES), len(data), [None, pa.py_buffer(data.tobytes())])


def unpack_ids(packed: Any) -> npt.NDArray[np.bytes_]:
    """The inverse of `pack_ids`, as a numpy array of type S20."""
    data = _id_bytes(packed)
    nibbles = np.empty((len(data), ID_LENGTH), dtype=np.uint8)
    nibbles[:, 0::2], nibbles[:, 1::2] = data >> 4, data & 15
    return np.frombuffer(b"0123456789abcdef", dtype=np.uint8)[nibbles].reshape(-1).view(f"S{ID_LENGTH}")


def _id_bytes(packed: Any) -> npt.NDArray[np.uint8]:
    joined = one_array(packed)
    if len(joined) == 0:
        return np.zeros((0, ID_BYTES), dtype=np.uint8)
    # A buffer that was read from a stream is padded behind its last row.
    raw = np.frombuffer(joined.buffers()[1], dtype=np.uint8, offset=joined.offset * ID_BYTES)
    return raw[: len(joined) * ID_BYTES].reshape(-1, ID_BYTES)


def id_keys(packed: Any) -> tuple[UInt64, UInt16]:
    """Packed ids as two sort keys: the leading 64 bits and the last 16, each of shape (rows,)."""
    data = _id_bytes(packed)
    head = np.ascontiguousarray(data[:, :8]).view(">u8").reshape(-1).astype(np.uint64)
    return head, np.ascontiguousarray(data[:, 8:]).view(">u2").reshape(-1).astype(np.uint16)


def under_cap(keys: Keys, limit: int, seed: int) -> Int64:
    """The rows that stay when each posting keeps its `limit` sentences of smallest priority, in their order.

    The priority is a seeded hash of sentence and concept, so a shard may cap what it has before it is sent: what the
    whole posting keeps is among what each of its parts keeps.
    """
    sizes = np.bincount(keys.posting, minlength=1)
    large = np.flatnonzero(sizes[keys.posting] > limit)
    keep = np.ones(len(keys.posting), dtype=bool)
    hot = keys.take(large)
    priority = splitmix64(hot.head ^ splitmix64(hot.concept ^ seed_for("posting", seed)))
    order = np.lexsort((hot.tail, hot.head, priority, hot.posting))
    keep[large[order[_places(hot.posting[order]) >= limit]]] = False
    return np.flatnonzero(keep)


def _starts(ordered: Int64) -> Int64:
    return np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ordered) else np.zeros(0, dtype=np.int64)


def _places(ordered: Int64) -> Int64:
    """The position of each row within its run of equal numbers."""
    starts = _starts(ordered)
    return np.arange(len(ordered)) - np.repeat(starts, np.diff(np.append(starts, len(ordered))))


def in_postings(keys: Keys) -> tuple[Int64, Int64]:
    """The order of the rows by posting and id, and the offsets of the postings in it, shape (postings + 1,)."""
    order = np.lexsort((keys.tail, keys.head, keys.posting))
    ordered = keys.posting[order]
    return order, np.append(_starts(ordered), len(ordered)).astype(np.int64)
