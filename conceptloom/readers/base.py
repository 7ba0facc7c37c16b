"""The contract of a reader: it turns the bytes of one raw format into texts, each with its place in the file."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, ClassVar, NamedTuple, Protocol

from conceptloom.registry import Registry

REASONS = {
    "undecodable": "bytes that are invalid in the file's encoding, or half a surrogate pair",
    "control_characters": "a NUL character in the text",
    "too_long": "a line or a record longer than the limit",
    "broken_json": "a line or a record that is not JSON, or is nested too deeply",
    "missing_field": "the record has no such field, or an empty list in it",
    "wrong_type": "the field is not text",
    "broken_row": "a table row with an unclosed quotation mark, or with more or fewer cells than the first",
    "broken_example": "a line that is not in the expected format",
}
"""Why a record could not be read. The names are stable, because reports contain them."""


class Text(NamedTuple):
    """One text of one record. Records count from 1; `item` counts the texts of a record from 0.

    The texts of a record are consecutive; `Reader.field` names them.
    """

    record: int
    item: int
    text: str


class Record(NamedTuple):
    """A whole record: its number, and its texts by field name (`Reader.field`)."""

    number: int
    fields: dict[str, str]


class Malformed(NamedTuple):
    """A record, or one item of it, that could not be read: a reason from REASONS, what was wrong, and its text.

    `text` is an excerpt; if it is `undecodable` or has `control_characters`, it is the whole, as `texts.escaped` writes
    it, so that no byte is lost. `item` counts as in a Text; it is None if the whole record could not be read.
    """

    record: int
    reason: str
    detail: str
    text: str = ""
    item: int | None = None


Entry = Text | Malformed


@dataclass(frozen=True)
class Span:
    """A piece of one file: the lines that start in the bytes from `start` to `end` (None: to the end of the file).

    The first of them is record `first`. The last may extend beyond `end`; the next span does not read it again.
    """

    path: str
    start: int = 0
    end: int | None = None
    first: int = 1


class Reader(Protocol):
    """Reads one format. A frozen dataclass of the format's options, so that it can be pickled and printed."""

    splittable: ClassVar[bool]
    """Whether a file may be cut after any line feed: each line is one record, whatever it contains."""

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """Yields the entries of a stream; records count from `first`. Memory: one record, or one block of lines.

        The stream is decompressed, has no byte-order mark, and is in an encoding that includes ASCII: `read_span`
        ensures all three. An InputError raised here names the record; `read_span` adds the path.
        """

    def field(self, item: int) -> str:
        """Returns the name of a record's item-th text (`caption_ko[0]`), empty if the record is the text."""


@dataclass(frozen=True)
class ReaderEntry:
    """A registered format: `make` is a dataclass whose fields are the format's options."""

    summary: str
    make: type[Reader]


READERS: Registry[ReaderEntry] = Registry("format", "conceptloom.readers", ReaderEntry)
