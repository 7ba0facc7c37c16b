"""Arrow tables as bytes: IPC for a shuffle, Parquet for files. The same rows give the same bytes."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from conceptloom import storage
from conceptloom.arrays.runs import equal_runs, run_starts
from conceptloom.arrays.types import Int32, Int64
from conceptloom.errors import InputError
from conceptloom.hashing import content_hash
from conceptloom.json_values import JsonObject
from conceptloom.schemas import REPEATED

Block = tuple[int, bytes]
"""What crosses a shuffle: an integer bucket and the Arrow IPC bytes of one record batch of a declared schema."""

ROW_GROUP = 64 * 1024
"""Rows of one row group of a Parquet file."""


COMPRESSED = "zstd"
"""How blocks are compressed that cross a network or wait in memory: sentences to four tenths of their size."""

_compression: ContextVar[str | None] = ContextVar("compression", default=COMPRESSED)


@contextmanager
def compressing(codec: str | None) -> Iterator[None]:
    """Compresses the blocks made within by an Arrow codec, or not at all. Whoever reads a block need not know."""
    token = _compression.set(codec)
    try:
        yield
    finally:
        _compression.reset(token)


def to_ipc(table: pa.Table) -> bytes:
    """Returns the rows of `table` as an Arrow IPC stream, see `compressing`. Of a slice only its own rows are written.

    Writing and reading a sentence takes 1.5 microseconds compressed and 0.3 as it is.
    """
    sink, options = pa.BufferOutputStream(), pa.ipc.IpcWriteOptions(compression=_compression.get())
    with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
        stream.write_table(table.combine_chunks())
    return sink.getvalue().to_pybytes()


def from_ipc(blocks: Iterable[bytes], schema: pa.Schema) -> pa.Table:
    """Returns the rows of many blocks of one schema, in the order of the blocks (a shuffle has no order: sort them)."""
    return pa.concat_tables([schema.empty_table(), *map(read_ipc, blocks)])


def read_ipc(block: bytes) -> pa.Table:
    """The inverse of `to_ipc`, with the schema (and its metadata) that travelled along."""
    return pa.ipc.open_stream(block).read_all()


def read_streams(blocks: bytes) -> list[pa.Table]:
    """Returns the tables of blocks that stand one after the other, in their order."""
    tables = list[pa.Table]()
    with pa.BufferReader(blocks) as stream:
        while stream.tell() < stream.size():
            tables.append(pa.ipc.open_stream(stream).read_all())
    return tables


def by_bucket(table: pa.Table, buckets: Int32) -> Iterator[Block]:
    """Yields a block for each bucket that has rows of `table`, in their order. `buckets` has shape (rows,)."""
    order = bucket_order(buckets)
    yield from in_buckets(table.take(pa.array(order)), buckets[order])


def bucket_order(buckets: Int32) -> Int64:
    """Returns the order of the rows by bucket, those of one bucket as they stood; shape (rows,)."""
    return equal_runs(buckets, int(buckets.max(initial=0)) + 1).order


def in_buckets(table: pa.Table, buckets: Int32) -> Iterator[Block]:
    """As `by_bucket`, for rows that stand in the order of their buckets."""
    starts = run_starts(buckets)
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(buckets)]):
        yield int(buckets[start]), to_ipc(table.slice(start, end - start))


def parquet_bytes(table: pa.Table, repeated: Collection[str] = REPEATED) -> bytes:
    """Returns `table` as a Parquet file: zstd, and row groups of a fixed size.

    Columns named in `repeated` get a dictionary and statistics; names that the table lacks are ignored. A column of
    dictionary type is read back as its values: a dictionary is how the file holds them.
    """
    encoded = [name for name in table.schema.names if name in repeated]
    plain = not any(pa.types.is_dictionary(kind) for kind in table.schema.types)
    sink = pa.BufferOutputStream()
    pq.write_table(
        table.combine_chunks(),
        sink,
        row_group_size=ROW_GROUP,
        compression="zstd",
        compression_level=1,
        use_dictionary=encoded or False,
        write_statistics=encoded or False,
        store_schema=plain,
    )
    return sink.getvalue().to_pybytes()


def write_table(path: str, table: pa.Table, repeated: Collection[str] = REPEATED) -> JsonObject:
    """Writes `table` to a Parquet file, atomically; returns the file's entry for a manifest (see `write_file`).

    `repeated` names the columns whose values repeat, see `parquet_bytes`.
    """
    return write_file(path, parquet_bytes(table, repeated), len(table))


def write_file(path: str, data: bytes, rows: int, known: str | None = None) -> JsonObject:
    """Writes `data` atomically; returns the file's entry for a manifest (path, rows, bytes, hash).

    `known` is the `content_hash` of the data, where the caller has just computed it.
    """
    storage.write_bytes(path, data)
    return {"path": path, "rows": rows, "bytes": len(data), "blake2b": known or content_hash(data)}


def read_table(path: str, columns: list[str] | None = None) -> pa.Table:
    """Returns the rows of one Parquet file, local or remote; only `columns` where they are given.

    Raises InputError for a file that is not Parquet or lacks a column.
    """
    # A remote file is read whole: reading one column takes at least as many requests.
    with pa.BufferReader(storage.read_bytes(path)) if storage.is_remote(path) else storage.open_read(path) as stream:
        return parse_table(stream, path, columns)


def parse_table(stream: pa.NativeFile | BinaryIO, path: str, columns: list[str] | None = None) -> pa.Table:
    """Returns the rows of an opened Parquet file; raises what `read_table` raises, in the name of `path`."""
    try:
        table = pq.read_table(stream, columns=columns, use_threads=False)
    except pa.ArrowException as error:
        raise InputError(f"{path} is not a whole Parquet file: {error}") from None
    missing = sorted(set(columns or ()) - set(table.schema.names))
    if missing:
        raise InputError(f"{path} has no column {', '.join(missing)}; it has: {', '.join(table.schema.names)}")
    return table
