"""Plain text: a sentence or a passage a line."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, ClassVar

from conceptloom.errors import InputError
from conceptloom.readers.base import READERS, Entry, ReaderEntry, Text
from conceptloom.readers.linewise import read_lines
from conceptloom.readers.ranges import open_text


@dataclass(frozen=True)
class Lines:
    """Each line is a text."""

    splittable: ClassVar[bool] = True

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`."""
        return read_lines(stream, encoding, first)

    def field(self, item: int) -> str:
        """Returns the empty name: the record is the text."""
        return ""


def sound_lines(path: str) -> Iterator[str]:
    """Yields every line of a file; raises InputError, naming the line, for one that cannot be read."""
    with open_text(path) as (stream, encoding):
        for line in read_lines(stream, encoding, 1):
            if not isinstance(line, Text):
                raise InputError(f"line {line.record}: {line.reason}: {line.detail}; fix this line")
            yield line.text


READERS.add("lines", ReaderEntry("plain text, a sentence or a passage a line", Lines))
