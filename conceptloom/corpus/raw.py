"""Rows of schema RAW: what a reader found, on its way to the bucket of its id."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pyarrow as pa

from conceptloom.hashing import text_id
from conceptloom.readers.base import Malformed
from conceptloom.schemas import RAW

ROWS = 32 * 1024
MALFORMED = "malformed"
WHOLE_RECORD = -1
"""The item of what is a record as a whole: one that is read so, or of which nothing could be read."""

Row = tuple[str, str, int, int, int, int, str | None, str | None]


def malformed_row(result: Malformed, file: int) -> Row:
    """The row of what could not be read."""
    # A malformed record has no text to hash; its place spreads it over the buckets.
    place = text_id(f"{file}:{result.record}")
    detail = f"{result.reason}: {result.detail}"
    item = WHOLE_RECORD if result.item is None else result.item
    return place, result.text, file, result.record, item, 0, MALFORMED, detail


def raw_tables(rows: Iterator[Row], size: int = ROWS) -> Iterator[pa.Table]:
    """The rows as tables of at most `size` rows, so that memory does not grow with the file."""
    while chunk := list(islice(rows, size)):
        columns: list[Any] = list(zip(*chunk, strict=True))
        yield pa.table([pa.array(column, field.type) for column, field in zip(columns, RAW, strict=True)], schema=RAW)
