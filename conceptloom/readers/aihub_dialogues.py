"""AI-HUB dialogues: {"numberOfItems", "data": [{"header", "body": {"dialogue": [{"utterance"}], "summary"}}]}."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, ClassVar, Literal

from conceptloom.readers.base import READERS, Entry, ReaderEntry
from conceptloom.readers.documents import read_items
from conceptloom.readers.fields import field_name, parse_paths

_PATHS = {"summary": "body.summary", "utterances": "body.dialogue[].utterance"}


@dataclass(frozen=True)
class AihubDialogues:
    """A record is a dialogue; its items are its summary or its utterances."""

    splittable: ClassVar[bool] = False
    texts: Literal["summary", "utterances"] = "summary"

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`."""
        return read_items(stream, encoding, first, "data.item", parse_paths(_PATHS[self.texts]))

    def field(self, item: int) -> str:
        """Returns `body.summary`, or a name such as `body.dialogue[0].utterance`."""
        return field_name(_PATHS[self.texts], item)


READERS.add("aihub-dialogues", ReaderEntry("AI-HUB dialogues with summaries (JSON)", AihubDialogues))
