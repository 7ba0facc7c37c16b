"""What a reader is: it turns the bytes of one raw format into texts, each with the place where it stands."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, ClassVar, NamedTuple, Protocol

from conceptloom.registry import Registry

REASONS = {
    "undecodable": "bytes that are not of the file's encoding, or half a surrogate pair",
    "control_characters": "a NUL in the text",
    "too_long": "a line or a record beyond the limit",
    "broken_json": "a line or a record that is not JSON, or is nested too deeply",
    "missing_field": "no such field in the record, or an empty list",
    "wrong_type": "the field is not text",
    "broken_row": "a table row with an unclosed quotation mark, or with more or fewer cells than the first",
    "broken_example": "a line that is not of its format",
}
"""Why a record could not be read. The names are stable: they stand in reports."""


class Text(NamedTuple):
    """One text of one record. Records count from 1; `item` counts the texts of a record from 0.

    The texts of a record follow each other; `Reader.field` names them.
    """

    record: int
    item: int
    text: str


class Record(NamedTuple):
    """A whole record: its number, and its texts by the names of their fields (`Reader.field`)."""

    number: int
    fields: dict[str, str]


class Malformed(NamedTuple):
    """A record (or one item of it) that could not be read: one of REASONS, what was wrong, and an excerpt.

    `item` counts as in a Text; it is None where the whole record could not be read.
    """

    record: int
    reason: str
    detail: str
    text: str = ""
    item: int | None = None


Entry = Text | Malformed


@dataclass(frozen=True)
class Span:
    """A piece of one file: the lines that start in the bytes `start` up to `end` (None: to the end).

    The first of them is record `first`. The last may reach beyond `end`; the next span does not read it again.
    """

    path: str
    start: int = 0
    end: int | None = None
    first: int = 1


class Reader(Protocol):
    """Reads one format. A frozen dataclass of its options, so that it can be pickled and printed."""

    splittable: ClassVar[bool]
    """Whether a file may be cut behind any line feed: one record is one line, whatever stands in it."""

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """The records of a stream, numbered from `first`. Memory: one record, or one block of lines.

        The stream is unzipped, without a byte-order mark, and in an encoding that ASCII is a part of: `read_span`
        sees to all three. An InputError raised here names the record, and `read_span` puts the path before it.
        """

    def field(self, item: int) -> str:
        """The name of the item-th text of a record within it (`caption_ko[0]`), empty where the record is the text."""


@dataclass(frozen=True)
class ReaderEntry:
    """A format that can be named: `make` is a dataclass whose fields are the format's options."""

    summary: str
    make: type[Reader]


READERS: Registry[ReaderEntry] = Registry("format", "conceptloom.readers", ReaderEntry)
