"""Arrow blocks on their way through a shuffle: routed by integer bucket, carried as bytes."""

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.hashing import ID_LENGTH, bucket_of


def route(block: pa.RecordBatch, key: str, buckets: int) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The rows of each bucket of the hash column `key`, as (bucket, rows); buckets without rows are left out."""
    bucket = bucket_of(block.column(key).to_numpy(), buckets)
    order = np.argsort(bucket, kind="stable")
    ends = np.searchsorted(bucket[order], np.arange(buckets + 1))
    for number in np.flatnonzero(np.diff(ends)):
        yield int(number), block.take(pa.array(order[ends[number] : ends[number + 1]]))


def to_bytes(table: pa.Table) -> bytes:
    """The table as an Arrow IPC stream, schema and metadata included."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def from_bytes(data: bytes) -> pa.Table:
    """The inverse of `to_bytes`."""
    return pa.ipc.open_stream(data).read_all()


def table_of(blocks: Iterable[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """The blocks as one table of one chunk for each column; no blocks give an empty table."""
    return pa.Table.from_batches(list(blocks), schema).combine_chunks()


def id_bytes(ids: pa.ChunkedArray) -> npt.NDArray[np.bytes_]:
    """A column of ids as numpy bytes of type S20, shape (rows,)."""
    return np.asarray(pc.cast(ids, pa.binary()).to_numpy(zero_copy_only=False), dtype=f"S{ID_LENGTH}")
