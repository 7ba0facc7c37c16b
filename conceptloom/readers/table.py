"""Tables: csv, tsv and their kin, one text a row.

A row that cannot be read is one malformed record. Where a quotation mark is never closed, that is its first line only:
the lines behind it, which the open quotation would swallow, are read again as rows.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, ClassVar

from conceptloom.errors import ConfigError, InputError
from conceptloom.readers.base import READERS, Entry, Malformed, ReaderEntry
from conceptloom.readers.linewise import LINE_BYTES
from conceptloom.readers.rows import Row, Rows, find_delimiter
from conceptloom.readers.texts import checked, excerpt


@dataclass(frozen=True)
class Table:
    """`column` is a name in the header, or a number from 1; 0 is the only column of a table that has one.

    `delimiter` None: found in the first lines. `quotes` None: cells may be quoted, but not between tabs, where a
    quotation mark is usually part of the text. `header` None: there is one if `column` is a name.
    """

    splittable: ClassVar[bool] = False
    column: str | int = 0
    delimiter: str | None = None
    quotes: bool | None = None
    header: bool | None = None

    def __post_init__(self) -> None:
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n\0'):
            raise ConfigError(f"delimiter {self.delimiter!r} is not one character, such as ',' or a tab")
        if isinstance(self.column, int) and self.column < 0:
            raise ConfigError(f"column {self.column} is negative; columns count from 1")
        if isinstance(self.column, str) and self.header is False:
            raise ConfigError(f"column {self.column!r} is a name, but header is false; give the column's number")

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`. Records are rows, the header not counted. A blank row is a record without text."""
        csv.field_size_limit(max(csv.field_size_limit(), LINE_BYTES))
        rows = self._rows(stream, encoding)
        top = next(rows, None)
        if top is None:
            return
        column, width = self._place(top), len(top.cells)
        number = first
        if not self._has_header():
            yield _entry(top, number, column, width)
            number += 1
        for row in rows:
            yield _entry(row, number, column, width)
            number += 1

    def field(self, item: int) -> str:
        """The column's name, or `column 2`."""
        return self.column if isinstance(self.column, str) else f"column {self.column or 1}"

    def _has_header(self) -> bool:
        return isinstance(self.column, str) if self.header is None else self.header

    def _rows(self, stream: BinaryIO, encoding: str) -> Rows:
        rows = Rows(stream, encoding)
        delimiter = self.delimiter or find_delimiter(rows.head(), self.column)
        rows.delimiter = delimiter
        rows.quotes = delimiter != "\t" if self.quotes is None else self.quotes
        return rows

    def _place(self, top: Row) -> int:
        """The index of the column, found in the first row."""
        cells = [cell.strip() for cell in top.cells]
        if top.reason or not cells:
            raise InputError(f"the first row cannot be read ({top.detail or 'it is blank'}); mend it")
        if isinstance(self.column, int) and (0 < self.column <= len(cells) or len(cells) == 1 >= self.column):
            return max(self.column - 1, 0)
        if cells.count(str(self.column)) == 1 and isinstance(self.column, str):
            return cells.index(self.column)
        shown = excerpt(", ".join(f"{at} {cell!r}" for at, cell in enumerate(cells, 1)))
        asked = f"column {self.column!r} is not one of them; " if self.column else ""
        raise InputError(f"the columns are {shown}; {asked}say with the option column which one holds the text")


def _entry(row: Row, number: int, column: int, width: int) -> Entry:
    if row.reason:
        return Malformed(number, row.reason, excerpt(row.detail), excerpt(row.raw))
    if row.cells and len(row.cells) != width:
        detail = f"{len(row.cells)} cells, where the first row has {width}"
        return Malformed(number, "broken_row", detail, excerpt(row.raw))
    return checked(number, 0, row.cells[column] if row.cells else "")


READERS.add("table", ReaderEntry("csv or tsv, the text in the column named by the option `column`", Table))
