"""From a reader's records to blocks of candidate sentences."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import pyarrow as pa

from conceptloom.hashing import text_id
from conceptloom.readers.base import Malformed, Record
from conceptloom.schemas import RAW

ROWS = 32 * 1024
MALFORMED = "malformed"
WHOLE_RECORD = -1
"""The item of a malformed record of which nothing could be read."""

Normalise = Callable[[str], str]
Split = Callable[[str], list[str]]


class Texts(NamedTuple):
    """How a language makes sentences of a record's text. Functions of modules: they are pickled by their names."""

    normalise: Normalise
    split: Split


Row = tuple[str, str, int, int, int, int, str | None, str | None]


def candidate_rows(
    results: Iterable[Record | Malformed], file: int, normalise: Normalise, split: Split
) -> Iterator[Row]:
    """A row of schema RAW for each sentence of each record, and one for each malformed record.

    A record's only sentence has number 0; the sentences of a record that has several count from 1.
    """
    for result in results:
        if isinstance(result, Malformed):
            yield _malformed_row(result, file)
            continue
        sentences = split(normalise(result.text))
        first = 0 if len(sentences) == 1 else 1
        for number, text in enumerate(sentences, first):
            yield text_id(text), text, file, result.record, result.item, number, None, None


def _malformed_row(result: Malformed, file: int) -> Row:
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
