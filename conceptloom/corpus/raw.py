"""Rows of schema RAW: what a reader found, to be sent to the bucket of its id."""

from collections.abc import Iterator
from itertools import islice

import pyarrow as pa

from conceptloom.hashing import text_id
from conceptloom.readers.base import Malformed
from conceptloom.schemas import RAW

ROWS = 32 * 1024
MALFORMED = "malformed"
WHOLE_RECORD = -1
"""The item of a row that is a whole record: one that is a unit, or of which nothing could be read."""

Row = tuple[str, str, int, int, int, int, str | None, str | None]


def malformed_row(result: Malformed, file: int) -> Row:
    """Returns the row of a record, or of one item of it, that could not be read."""
    # A malformed record has no text to hash; hashing its place spreads such records over the buckets.
    place = text_id(f"{file}:{result.record}")
    detail = f"{result.reason}: {result.detail}"
    item = WHOLE_RECORD if result.item is None else result.item
    return place, result.text, file, result.record, item, 0, MALFORMED, detail


def raw_tables(rows: Iterator[Row], size: int = ROWS) -> Iterator[pa.Table]:
    """Yields the rows as tables of at most `size` rows, so that memory does not grow with the file."""
    while chunk := list(islice(rows, size)):
        columns = zip(*chunk, strict=True)
        yield pa.table([pa.array(column, field.type) for column, field in zip(columns, RAW, strict=True)], schema=RAW)
