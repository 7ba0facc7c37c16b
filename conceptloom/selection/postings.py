"""Postings: for each concept the sentences that hold it, at most N_s of them (Korean CommonGen, section 3.1)."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.hashing import ID_BYTES, ID_LENGTH, id_heads, seed_for, splitmix64, text_hashes
from conceptloom.tables import strings

Unit = Literal["concept", "morpheme"]
Int64 = npt.NDArray[np.int64]
UInt64 = npt.NDArray[np.uint64]


def posting_schema(features: pa.DataType) -> pa.Schema:
    """The schema of posting rows on their way to their posting: the sentence's features travel along."""
    return pa.schema(
        [("concept", pa.string()), ("source", pa.string()), ("id", pa.binary(ID_BYTES)), ("features", features)]
    )


def explode(sentences: pa.Table, features: pa.Array, unit: Unit) -> pa.Table:
    """A row for each concept of each sentence: the sentence's postings, in the order of the sentences.

    With unit `morpheme` the postings are those of the single content morphemes, each once a sentence.
    """
    lists = sentences["concepts" if unit == "concept" else "morphemes"].combine_chunks()
    rows = pc.list_parent_indices(lists)
    concepts = pc.list_flatten(lists)
    if unit == "morpheme":
        distinct = _first_of_each(rows.to_numpy(), concepts)
        rows, concepts = rows.take(distinct), concepts.take(distinct)
    packed = pack_ids(sentences["id"])
    columns = [concepts, sentences["source"].combine_chunks().take(rows), packed.take(rows), features.take(rows)]
    return pa.table(columns, schema=posting_schema(features.type))


def _first_of_each(rows: Int64, concepts: pa.Array) -> pa.Array:
    codes = concepts.dictionary_encode().indices.to_numpy().astype(np.int64)
    _, first = np.unique(rows * (codes.max(initial=0) + 1) + codes, return_index=True)
    return pa.array(np.sort(first))


def pack_ids(ids: Any) -> pa.Array:
    """Ids of 20 hexadecimal digits as 10 bytes each: half the size on their way."""
    digits = strings(ids, ID_LENGTH)
    return pa.array([bytes.fromhex(text) for text in digits.astype(f"U{ID_LENGTH}").tolist()], pa.binary(ID_BYTES))


def unpack_ids(packed: Any) -> npt.NDArray[np.bytes_]:
    """The inverse of `pack_ids`, as a numpy array of type S20."""
    data = strings_of_bytes(packed)
    nibbles = np.empty((len(data), ID_LENGTH), dtype=np.uint8)
    nibbles[:, 0::2], nibbles[:, 1::2] = data >> 4, data & 15
    return np.frombuffer(b"0123456789abcdef", dtype=np.uint8)[nibbles].reshape(-1).view(f"S{ID_LENGTH}")


def strings_of_bytes(packed: Any) -> npt.NDArray[np.uint8]:
    """The bytes of a column of packed ids, shape (rows, 10)."""
    joined = pa.concat_arrays(packed.chunks) if isinstance(packed, pa.ChunkedArray) and packed.num_chunks else packed
    if len(joined) == 0:
        return np.zeros((0, ID_BYTES), dtype=np.uint8)
    raw = np.frombuffer(joined.buffers()[1], dtype=np.uint8).reshape(-1, ID_BYTES)
    return raw[joined.offset : joined.offset + len(joined)]


def posting_codes(postings: pa.Table, per_source: bool) -> tuple[npt.NDArray[np.int64], UInt64]:
    """For each row its posting's number and the 64-bit hash of its concept, both of shape (rows,).

    Numbers follow the order of (concept, source), so that rows sorted by them are in one order everywhere.
    """
    concepts, names = _encoded(postings["concept"])
    hashes = text_hashes(names)[concepts] if names else np.zeros(0, dtype=np.uint64)
    if not per_source:
        return concepts, hashes
    sources, source_names = _encoded(postings["source"])
    return concepts * max(len(source_names), 1) + sources, hashes


def _encoded(column: Any) -> tuple[Int64, list[str]]:
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    order = np.array(pc.sort_indices(encoded.dictionary), dtype=np.int64)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[encoded.indices.to_numpy()], encoded.dictionary.take(pa.array(order)).to_pylist()


def id_keys(packed: Any) -> tuple[UInt64, npt.NDArray[np.uint16]]:
    """Packed ids as two sort keys: the leading 64 bits and the last 16, each of shape (rows,)."""
    data = strings_of_bytes(packed)
    head = np.ascontiguousarray(data[:, :8]).view(">u8").reshape(-1).astype(np.uint64)
    return head, np.ascontiguousarray(data[:, 8:]).view(">u2").reshape(-1).astype(np.uint16)


def cap(postings: pa.Table, limit: int, seed: int, per_source: bool) -> pa.Table:
    """The rows with, in each posting, the `limit` sentences of smallest priority; rows keep their order.

    The priority is a seeded hash of sentence and concept, so a shard may cap what it has before it is sent: what the
    whole posting keeps is among what each of its parts keeps.
    """
    codes, hashes = posting_codes(postings, per_source)
    _, inverse, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    large = np.flatnonzero(sizes[inverse] > limit)
    if len(large) == 0:
        return postings
    head, tail = id_keys(postings["id"].take(pa.array(large)))
    priority = splitmix64(head ^ splitmix64(hashes[large] ^ seed_for("posting", seed)))
    order = np.lexsort((tail, head, priority, codes[large]))
    keep = np.ones(len(postings), dtype=bool)
    keep[large[order[_places(codes[large][order]) >= limit]]] = False
    return postings.filter(pa.array(keep))


def _places(sorted_codes: Int64) -> Int64:
    """The position of each row within its run of equal codes."""
    starts = np.flatnonzero(np.append(True, sorted_codes[1:] != sorted_codes[:-1]))
    return np.arange(len(sorted_codes)) - np.repeat(starts, np.diff(np.append(starts, len(sorted_codes))))


def in_postings(postings: pa.Table, per_source: bool) -> tuple[pa.Table, Int64]:
    """The rows sorted by posting and id, and the offsets of the postings, shape (postings + 1,)."""
    codes, _ = posting_codes(postings, per_source)
    head, tail = id_keys(postings["id"])
    order = np.lexsort((tail, head, codes))
    ordered = codes[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ordered) else []
    return postings.take(pa.array(order)), np.append(starts, len(ordered)).astype(np.int64)
