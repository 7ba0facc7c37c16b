"""Arrow tables on their way: bytes for a shuffle, Parquet for a disk, the same bytes for the same rows."""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from conceptloom import storage
from conceptloom.errors import InputError

Block = tuple[int, bytes]
"""What crosses a shuffle: an integer bucket and the Arrow IPC bytes of one record batch of a declared schema."""

ROW_GROUP = 64 * 1024
_REPEATED = {"source", "stage", "reason", "concept", "split"}


def to_ipc(table: pa.Table) -> bytes:
    """The rows of `table` as a compressed Arrow IPC stream. A slice is written as a slice: only its own rows travel.

    Compressed, because a local runner holds several copies of what crosses a shuffle: zstd makes sentences a third of
    their size for 0.6 microseconds each.
    """
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
        stream.write_table(table.combine_chunks())
    return sink.getvalue().to_pybytes()


def from_ipc(blocks: Iterable[bytes], schema: pa.Schema) -> pa.Table:
    """The rows of many blocks of one schema, in the order of the blocks (a shuffle has no order: sort afterwards)."""
    return pa.concat_tables([schema.empty_table(), *map(read_ipc, blocks)])


def read_ipc(block: bytes) -> pa.Table:
    """The inverse of `to_ipc`, with the schema (and its metadata) that travelled along."""
    return pa.ipc.open_stream(block).read_all()


def by_bucket(table: pa.Table, buckets: npt.NDArray[np.int32]) -> Iterator[Block]:
    """One block for each bucket that has any rows of `table`, in their order. `buckets` has shape (rows,)."""
    if len(buckets) == 0:
        return
    order = np.argsort(buckets, kind="stable")
    found, starts = np.unique(buckets[order], return_index=True)
    ordered = table.take(pa.array(order))
    for bucket, start, end in zip(found, starts, [*starts[1:], len(order)], strict=True):
        yield int(bucket), to_ipc(ordered.slice(int(start), int(end - start)))


def strings(column: Any, width: int) -> npt.NDArray[np.bytes_]:
    """An Arrow column of strings of exactly `width` ASCII characters as a numpy array of type S<width>."""
    fixed = one_array(column).cast(pa.binary()).cast(pa.binary(width))
    data = fixed.buffers()[1]
    raw = np.frombuffer(data, dtype=f"S{width}") if data is not None else np.zeros(0, dtype=f"S{width}")
    return raw[fixed.offset : fixed.offset + len(fixed)]


def one_array(column: Any) -> pa.Array:
    """A column, chunked or not, as one array."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def string_lists(rows: list[list[str]]) -> pa.ListArray:
    """Lists of strings as an Arrow array."""
    offsets = np.zeros(len(rows) + 1, dtype=np.int32)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array([item for row in rows for item in row], pa.string()))


def parquet_bytes(table: pa.Table) -> bytes:
    """`table` as a Parquet file: zstd, dictionaries only where values repeat, row groups of a fixed size."""
    repeated = [name for name in table.schema.names if name in _REPEATED]
    sink = pa.BufferOutputStream()
    pq.write_table(
        table.combine_chunks(),
        sink,
        row_group_size=ROW_GROUP,
        compression="zstd",
        compression_level=1,
        use_dictionary=repeated or False,
        write_statistics=repeated or False,
    )
    return sink.getvalue().to_pybytes()


def write_table(path: str, table: pa.Table) -> dict[str, Any]:
    """Writes `table` to a Parquet file, atomically; answers the file's entry for a manifest."""
    return write_file(path, parquet_bytes(table), len(table))


def write_file(path: str, data: bytes, rows: int) -> dict[str, Any]:
    """Writes `data` atomically; answers the file's entry for a manifest (path, rows, bytes, hash)."""
    storage.write_bytes(path, data)
    return {"path": path, "rows": rows, "bytes": len(data), "blake2b": blake2b(data, digest_size=16).hexdigest()}


def read_table(path: str, columns: list[str] | None = None) -> pa.Table:
    """The rows of one Parquet file, local or remote; only `columns` where they are given.

    Raises InputError for a file that is not Parquet or lacks a column.
    """
    # Far away, a file is read whole: a column of it takes as many requests as the file, or more.
    with pa.BufferReader(storage.read_bytes(path)) if storage.is_remote(path) else storage.open_read(path) as stream:
        try:
            table = pq.read_table(stream, columns=columns, use_threads=False)
        except pa.ArrowException as error:
            raise InputError(f"{path} is not a whole Parquet file: {error}") from None
    missing = sorted(set(columns or ()) - set(table.schema.names))
    if missing:
        raise InputError(f"{path} has no column {', '.join(missing)}; it has: {', '.join(table.schema.names)}")
    return table
