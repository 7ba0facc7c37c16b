"""Captions of videos, JSON as published: ActivityNet Captions and VATEX."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, ClassVar, Literal

from conceptloom.readers.base import READERS, Entry, ReaderEntry
from conceptloom.readers.documents import read_items
from conceptloom.readers.fields import field_name, parse_paths

_VATEX = {"en": "enCap[]", "zh": "chCap[]"}


@dataclass(frozen=True)
class ActivityNet:
    """{"v_…": {"duration", "timestamps", "sentences": […]}}: a record is a video, its items are the sentences."""

    splittable: ClassVar[bool] = False

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`."""
        return read_items(stream, encoding, first, "*", parse_paths("sentences[]"))

    def field(self, item: int) -> str:
        """Returns a name such as `sentences[0]`."""
        return field_name("sentences[]", item)


@dataclass(frozen=True)
class Vatex:
    """[{"videoID", "enCap": […], "chCap": […]}]: a record is a video, its items are the captions in one language."""

    splittable: ClassVar[bool] = False
    language: Literal["en", "zh"] = "en"

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`."""
        return read_items(stream, encoding, first, "item", parse_paths(_VATEX[self.language]))

    def field(self, item: int) -> str:
        """Returns a name such as `enCap[0]`."""
        return field_name(_VATEX[self.language], item)


READERS.add("activitynet", ReaderEntry("ActivityNet Captions as published (val_1.json)", ActivityNet))
READERS.add("vatex", ReaderEntry("VATEX captions as published (JSON, English or Chinese)", Vatex))
