"""A JSON document: an array of objects, or an object that holds such an array, read a record at a time."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, ClassVar

from conceptloom.readers.base import READERS, Entry, ReaderEntry
from conceptloom.readers.documents import read_items
from conceptloom.readers.fields import field_name, parse_paths


@dataclass(frozen=True)
class JsonDocument:
    """Records are at `items`, in ijson's notation (`item`, `annotations.item`, `*` for every key), texts at `path`.

    Several paths, separated by commas, are the fields of one record.
    """

    splittable: ClassVar[bool] = False
    path: str = dataclasses.field(default="text", metadata={"option": "field"})
    items: str = "item"

    def __post_init__(self) -> None:
        parse_paths(self.path)

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`."""
        return read_items(stream, encoding, first, self.items, parse_paths(self.path))

    def field(self, item: int) -> str:
        """Returns the path, with the index in the list."""
        return field_name(self.path, item)


READERS.add("json", ReaderEntry("a JSON array, the text in the field named by the option `field`", JsonDocument))
