"""MSCOCO captions: the published annotations, and the references of the images as metrics read them.

Annotations: {"info", "images", "licenses", "annotations": [{"image_id", "id", "caption"}]}, a caption a record.
References: {"262148": [["caption", …]]}, an image a record, its captions the items.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, ClassVar

from conceptloom.readers.base import READERS, Entry, ReaderEntry
from conceptloom.readers.documents import read_items
from conceptloom.readers.fields import field_name, parse_paths


@dataclass(frozen=True)
class Coco:
    """Each annotation is a record of one caption."""

    splittable: ClassVar[bool] = False

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`."""
        return read_items(stream, encoding, first, "annotations.item", parse_paths("caption"))

    def field(self, item: int) -> str:
        """`caption`"""
        return "caption"


@dataclass(frozen=True)
class CocoReferences:
    """Each image is a record, each of its captions an item."""

    splittable: ClassVar[bool] = False

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`."""
        return read_items(stream, encoding, first, "*.item", parse_paths("[]"))

    def field(self, item: int) -> str:
        """`[0]`"""
        return field_name("[]", item)


READERS.add("coco", ReaderEntry("MSCOCO captions as published (captions_val2017.json)", Coco))
READERS.add("coco-references", ReaderEntry("MSCOCO captions by image (JSON, image -> [[captions]])", CocoReferences))
