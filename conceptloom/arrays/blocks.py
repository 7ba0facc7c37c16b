"""Arrow blocks of one bucket, put together."""

from collections.abc import Iterable

import pyarrow as pa


def table_of(blocks: Iterable[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """Returns the blocks as one table with one chunk for each column; no blocks give an empty table."""
    return pa.Table.from_batches(list(blocks), schema).combine_chunks()
