"""Plain text: a sentence or a passage a line."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, ClassVar

from conceptloom.readers.base import READERS, Entry, ReaderEntry
from conceptloom.readers.linewise import read_lines


@dataclass(frozen=True)
class Lines:
    """Each line is a text."""

    splittable: ClassVar[bool] = True

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`."""
        return read_lines(stream, encoding, first)

    def field(self, item: int) -> str:
        """The record is the text."""
        return ""


READERS.add("lines", ReaderEntry("plain text, a sentence or a passage a line", Lines))
