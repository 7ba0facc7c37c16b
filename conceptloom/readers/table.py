"""Tables (csv, tsv and the like): a row is a record with one text, or with the texts of several named columns.

A row that cannot be read is one malformed record. If its quotation mark is never closed, only its first line is lost:
the lines after it, which the open quotation would swallow, are read again as rows.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, ClassVar

from conceptloom.errors import ConfigError, InputError
from conceptloom.readers.base import READERS, Entry, Malformed, ReaderEntry
from conceptloom.readers.linewise import LINE_BYTES
from conceptloom.readers.rows import Row, Rows, find_delimiter
from conceptloom.readers.texts import checked, excerpt


@dataclass(frozen=True)
class Table:
    """`column` is a name in the header, or a number from 1; 0 means the only column of a table.

    `columns` instead names several columns of the header, separated by commas: the fields of one record.
    `delimiter` None: detected from the first lines. `quotes` None: cells may be quoted unless tabs separate them, since
    a quotation mark is then usually part of the text. `header` None: there is one if `column` is a name.
    """

    splittable: ClassVar[bool] = False
    column: str | int = 0
    delimiter: str | None = None
    quotes: bool | None = None
    header: bool | None = None
    columns: str | None = None

    def __post_init__(self) -> None:
        if self.columns is not None and (self.column or self.header is False):
            raise ConfigError("columns are names in the header; leave column and header out")
        if self.columns is not None and len(set(self._names())) < len(self._names()):
            raise ConfigError(f"columns {self.columns!r} names one column twice")
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n\0'):
            raise ConfigError(f"delimiter {self.delimiter!r} is not one character, such as ',' or a tab")
        if isinstance(self.column, int) and self.column < 0:
            raise ConfigError(f"column {self.column} is negative; columns count from 1")
        if isinstance(self.column, str) and self.header is False:
            raise ConfigError(f"column {self.column!r} is a name, but header is false; give the column's number")

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`. A record is a row; the header is not counted. A blank row is a record without text."""
        csv.field_size_limit(max(csv.field_size_limit(), LINE_BYTES))
        rows = self._rows(stream, encoding)
        top = next(rows, None)
        if top is None:
            return
        places, width = [self._place(top, name) for name in self._names()], len(top.cells)
        below = rows if self._has_header() else chain([top], rows)
        for number, row in enumerate(below, first):
            yield from _entries(row, number, places, width)

    def field(self, item: int) -> str:
        """Returns the column's name, or one such as `column 2`."""
        name = self._names()[item]
        return name if isinstance(name, str) else f"column {name or 1}"

    def _names(self) -> list[str | int]:
        return [self.column] if self.columns is None else [name.strip() for name in self.columns.split(",")]

    def _has_header(self) -> bool:
        return isinstance(self._names()[0], str) if self.header is None else self.header

    def _rows(self, stream: BinaryIO, encoding: str) -> Rows:
        rows = Rows(stream, encoding)
        delimiter = self.delimiter or find_delimiter(rows.head(), self._names()[0])
        rows.delimiter = delimiter
        rows.quotes = delimiter != "\t" if self.quotes is None else self.quotes
        return rows

    def _place(self, top: Row, column: str | int) -> int:
        """Returns the index of a column from the first row."""
        cells = [cell.strip() for cell in top.cells]
        if top.reason or not cells:
            raise InputError(f"the first row cannot be read ({top.detail or 'it is blank'}); fix it")
        if isinstance(column, int) and (0 < column <= len(cells) or len(cells) == 1 >= column):
            return max(column - 1, 0)
        if cells.count(str(column)) == 1 and isinstance(column, str):
            return cells.index(column)
        shown = excerpt(", ".join(f"{at} {cell!r}" for at, cell in enumerate(cells, 1)))
        asked = f"column {column!r} is not one of them; " if column else ""
        raise InputError(f"the columns are {shown}; {asked}say with the option column which one holds the text")


@dataclass(frozen=True)
class ImageCaptions(Table):
    """A table whose column `caption` has the captions, as Flickr8k is handed on (`captions.txt`: image,caption)."""

    column: str | int = "caption"


def _entries(row: Row, number: int, places: Sequence[int], width: int) -> Iterator[Entry]:
    """Yields the texts of a row in the columns `places`, or one Malformed."""
    if row.reason:
        yield Malformed(number, row.reason, excerpt(row.detail), excerpt(row.raw))
    elif row.cells and len(row.cells) != width:
        detail = f"{len(row.cells)} cells, where the first row has {width}"
        yield Malformed(number, "broken_row", detail, excerpt(row.raw))
    else:
        for item, place in enumerate(places):
            yield checked(number, item, row.cells[place] if row.cells else "")


READERS.add(
    "table",
    ReaderEntry("csv or tsv, the text in the column named by the option `column`, fields by `columns`", Table),
)
READERS.add(
    "image-captions", ReaderEntry("csv with the columns image and caption (Flickr8k's captions.txt)", ImageCaptions)
)
