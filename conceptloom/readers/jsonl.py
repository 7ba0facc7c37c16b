"""JSON lines: one object a line, with the text in one of its fields."""

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, ClassVar

from conceptloom.readers.base import READERS, Entry, Malformed, ReaderEntry, Text
from conceptloom.readers.fields import field_name, parse_paths, texts_at
from conceptloom.readers.linewise import read_lines
from conceptloom.readers.texts import excerpt

DECODER = json.JSONDecoder(parse_int=float)
"""Numbers are never used; a float can be parsed from a number of any length."""


def parse_line(line: Text) -> object:
    """Returns the JSON value of a line, or a Malformed."""
    try:
        return DECODER.decode(line.text)
    except RecursionError:
        return Malformed(line.record, "broken_json", "nested too deeply", excerpt(line.text))
    except ValueError as error:
        return Malformed(line.record, "broken_json", excerpt(str(error)), excerpt(line.text))


@dataclass(frozen=True)
class JsonLines:
    """The text is at a path of each object: `text`, `body.summary`, `captions[]`; '' if each line is a string.

    Several paths, separated by commas, are the fields of one record.
    """

    splittable: ClassVar[bool] = True
    path: str = dataclasses.field(default="text", metadata={"option": "field"})

    def __post_init__(self) -> None:
        parse_paths(self.path)

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`. A blank line is a record without text."""
        paths = parse_paths(self.path)
        for line in read_lines(stream, encoding, first):
            if isinstance(line, Malformed):
                yield line
            elif not line.text.strip():
                yield Text(line.record, 0, "")
            elif isinstance(value := parse_line(line), Malformed):
                yield value
            else:
                yield from texts_at(value, paths, line.record, line.text)

    def field(self, item: int) -> str:
        """Returns the path, with the index in the list."""
        return field_name(self.path, item)


READERS.add("jsonl", ReaderEntry("JSON lines, the text in the field named by the option `field`", JsonLines))
