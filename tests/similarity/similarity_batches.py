"""Sentences as the record batch that a scorer reads."""

import pyarrow as pa


def batch_of(rows: list[list[str]]) -> pa.RecordBatch:
    """A batch with the column `morphemes`; `rows` holds the morphemes of each sentence."""
    return pa.RecordBatch.from_arrays([pa.array(rows, pa.list_(pa.string()))], names=["morphemes"])
