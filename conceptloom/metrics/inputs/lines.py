"""Lines of references and predictions: every one is read, and what cannot be is an error that names it."""

from collections.abc import Iterator
from typing import BinaryIO, cast

from conceptloom.errors import InputError
from conceptloom.metrics.inputs.input_notes import NoteBook
from conceptloom.readers.base import Malformed, Text
from conceptloom.readers.linewise import read_lines
from conceptloom.readers.ranges import open_text
from conceptloom.readers.texts import checked


def lines_of(path: str, book: NoteBook) -> Iterator[Text]:
    """The lines of a file, without their ends. Notes a last line that has none; raises InputError, with the line."""
    with open_text(path) as (stream, encoding):
        watched = _Watched(stream)
        for line in read_lines(cast(BinaryIO, watched), encoding, 1):
            yield require_text(line)
        if watched.last not in (b"\n", b""):
            book.add("no_final_newline")


def require_text(entry: Text | Malformed, text: str | None = None) -> Text:
    """The entry; with `text`, that text in its place. Raises InputError where either cannot be used."""
    found = entry if text is None else checked(entry.record, 0, text)
    if isinstance(found, Malformed):
        raise InputError(f"line {found.record}: {found.reason}: {found.detail}; mend this line")
    return found


class _Watched:
    """A stream that remembers the last byte read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.last = b""

    def read(self, size: int) -> bytes:
        chunk = self._stream.read(size)
        self.last = chunk[-1:] or self.last
        return chunk
