"""Puts the texts of a record back together, as a record with named fields."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter

from conceptloom.readers.base import Entry, Malformed, Reader, Record


def whole_records(entries: Iterable[Entry], reader: Reader) -> Iterator[Record | Malformed]:
    """Yields the records of a reader's entries, with the reader's field names. Memory: one record.

    If any part of a record is malformed, the whole record is, for the first reason: its parts belong together.
    """
    for number, parts in groupby(entries, key=attrgetter("record")):
        fields: dict[str, str] = {}
        problem: Malformed | None = None
        for entry in parts:
            if isinstance(entry, Malformed):
                problem = problem or entry._replace(item=None)
            else:
                fields[reader.field(entry.item)] = entry.text
        yield problem or Record(number, fields)
