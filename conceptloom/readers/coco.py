"""MSCOCO captions: the published annotations, and the references by image as metrics read them.

Annotations: {"info", "images", "licenses", "annotations": [{"image_id", "id", "caption"}]}; a record is a caption.
References: {"262148": [["caption", …]]}; a record is an image, and its items are the captions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, ClassVar

from conceptloom.readers.base import READERS, Entry, ReaderEntry
from conceptloom.readers.documents import read_items
from conceptloom.readers.fields import field_name, parse_paths


@dataclass(frozen=True)
class Coco:
    """Each annotation is a record with one caption."""

    splittable: ClassVar[bool] = False

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`."""
        return read_items(stream, encoding, first, "annotations.item", parse_paths("caption"))

    def field(self, item: int) -> str:
        """Returns `caption`."""
        return "caption"


@dataclass(frozen=True)
class CocoReferences:
    """A record is an image; its items are the captions."""

    splittable: ClassVar[bool] = False

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`."""
        return read_items(stream, encoding, first, "*.item", parse_paths("[]"))

    def field(self, item: int) -> str:
        """Returns a name such as `[0]`."""
        return field_name("[]", item)


READERS.add("coco", ReaderEntry("MSCOCO captions as published (captions_val2017.json)", Coco))
READERS.add("coco-references", ReaderEntry("MSCOCO captions by image (JSON, image -> [[captions]])", CocoReferences))
