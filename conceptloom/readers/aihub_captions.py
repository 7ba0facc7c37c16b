"""AI-HUB image captions: a JSON array of {"file_path", "captions": [en…], "id", "caption_ko": [ko…]}."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, ClassVar, Literal

from conceptloom.readers.base import READERS, Entry, ReaderEntry
from conceptloom.readers.documents import read_items
from conceptloom.readers.fields import field_name, parse_paths

_PATHS = {"ko": "caption_ko[]", "en": "captions[]"}


@dataclass(frozen=True)
class AihubCaptions:
    """A record is an image; its items are the captions in one language."""

    splittable: ClassVar[bool] = False
    language: Literal["ko", "en"] = "ko"

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`."""
        return read_items(stream, encoding, first, "item", parse_paths(_PATHS[self.language]))

    def field(self, item: int) -> str:
        """Returns a name such as `caption_ko[0]`."""
        return field_name(_PATHS[self.language], item)


READERS.add("aihub-captions", ReaderEntry("AI-HUB image captions (JSON)", AihubCaptions))
