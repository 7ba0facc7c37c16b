"""Reads the rows of a table one at a time, each as its cells or as the reason why it cannot be read."""

import csv
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import BinaryIO, NamedTuple

from conceptloom.readers.base import Malformed
from conceptloom.readers.encoding import decode_all
from conceptloom.readers.linewise import too_long, whole_lines

QUOTED_CHARACTERS = 1 << 16
"""A quoted cell that spans lines is given up when its row is longer than this."""

_HEAD_LINES = 50
_DELIMITERS = "\t,;|"
_NUL = "\ud800"  # csv rejects NUL before Python 3.11; `decode_all` makes no such surrogate
_SHARE = 0.8  # of the first rows must have the same number of cells


class Row(NamedTuple):
    """The cells of a row, or the reason why it has none. `raw` is its first line."""

    cells: list[str]
    reason: str = ""
    detail: str = ""
    raw: str = ""


class _UnreadableError(Exception):
    """A line that is malformed, whatever its row."""

    def __init__(self, malformed: Malformed) -> None:
        super().__init__(malformed.detail)
        self.malformed = malformed


class Rows(Iterator[Row]):
    """Iterates over the rows of a table. Set `delimiter` and `quotes` before the first."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self.delimiter = ","
        self.quotes = True
        self._lines = _lines(stream, encoding)
        self._waiting: deque[str | Malformed] = deque()
        self._taken: list[str] = []

    def head(self) -> list[str]:
        """Returns the first lines, which are still read as rows afterwards."""
        self._waiting.extend(islice(self._lines, _HEAD_LINES - len(self._waiting)))
        return [line for line in self._waiting if isinstance(line, str)]

    def __next__(self) -> Row:
        self._taken = []
        try:
            cells = next(_parser(self._feed(), self.delimiter, self.quotes))
        except _UnreadableError as error:
            return self._broken(error.malformed.reason, error.malformed.detail, error.malformed.text)
        except csv.Error as error:
            return self._broken("broken_row", str(error), self._taken[0])
        return Row([_with_nul(cell) for cell in cells], raw=_with_nul(self._taken[0].removesuffix("\n")))

    def _feed(self) -> Iterator[str]:
        """Yields the lines of one row, as many as its parser asks for."""
        size = 0
        while (line := self._next_line()) is not None:
            if isinstance(line, Malformed):
                raise self._no_line(line)
            self._taken.append(line)
            size += len(line)
            if size > QUOTED_CHARACTERS and len(self._taken) > 1:
                raise csv.Error(f"a quoted cell goes on over {QUOTED_CHARACTERS} characters of lines")
            yield line

    def _next_line(self) -> str | Malformed | None:
        return self._waiting.popleft() if self._waiting else next(self._lines, None)

    def _no_line(self, line: Malformed) -> Exception:
        """Returns the error for a malformed line: a row of its own, unless it breaks the row of an open quoted cell."""
        if not self._taken:
            return _UnreadableError(line)
        self._waiting.appendleft(line)
        return csv.Error("an unreadable line within a quoted cell")

    def _broken(self, reason: str, detail: str, raw: str) -> Row:
        """Returns a broken row, which loses only its first line: the others are read again."""
        self._waiting.extendleft(reversed(self._taken[1:]))
        hint = " (quotes=false reads quotation marks as text)" if self.quotes and reason == "broken_row" else ""
        return Row([], reason, detail + hint, _with_nul(raw.removesuffix("\n")))


def find_delimiter(lines: Sequence[str], column: str | int) -> str:
    """Returns the character that splits the first lines most evenly into two or more cells, or a comma if none does.

    If the column is a name, characters that split this name off in the first line come before the others.
    """
    names = {delimiter: next(_cells(lines[:1], delimiter), []) for delimiter in _DELIMITERS}
    named = [delimiter for delimiter in _DELIMITERS if column in [cell.strip() for cell in names[delimiter]]]
    cut = {delimiter: _evenness(lines, delimiter) for delimiter in named or _DELIMITERS}
    best = max(cut, key=lambda delimiter: cut[delimiter])
    return best if cut[best][0] >= _SHARE or (named and cut[best][1]) else ","


def _evenness(lines: Sequence[str], delimiter: str) -> tuple[float, int]:
    """Returns the share of rows that have the most common number of cells, and that number; (0, 0) if that is one."""
    counts = Counter(len(cells) for cells in _cells(lines, delimiter) if cells)
    if not counts:
        return 0, 0
    cells, rows = max(counts.items(), key=lambda count: (count[1], count[0]))
    return (rows / counts.total(), cells) if cells > 1 else (0, 0)


def _cells(lines: Sequence[str], delimiter: str) -> Iterator[list[str]]:
    """Yields the rows as far as they can be read, since the head may end within one."""
    try:
        yield from _parser(iter(lines), delimiter, delimiter != "\t")
    except csv.Error:
        return


def _parser(lines: Iterator[str], delimiter: str, quotes: bool) -> Iterator[list[str]]:
    if quotes:
        return csv.reader(lines, delimiter=delimiter, strict=True)
    return csv.reader(lines, delimiter=delimiter, strict=True, quoting=csv.QUOTE_NONE)


def _lines(stream: BinaryIO, encoding: str) -> Iterator[str | Malformed]:
    """Yields lines with their line feed, which a quoted cell may contain; `decode_all` keeps undecodable bytes."""
    for block, is_long in whole_lines(stream):
        if is_long:
            yield too_long(0, block, encoding)
        else:
            text = decode_all(block, encoding).replace("\0", _NUL)
            yield from (line.removesuffix("\r") + "\n" for line in text.split("\n"))


def _with_nul(text: str) -> str:
    return text.replace(_NUL, "\0")
