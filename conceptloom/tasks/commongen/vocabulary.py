"""Stage ingest of English: ConceptNet's concepts, read once for all workers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from conceptloom import storage
from conceptloom.conceptnet import read_vocabulary
from conceptloom.corpus.captions import encode_vocabulary
from conceptloom.ledger import Ledger
from conceptloom.tables import write_file
from conceptloom.tasks.base import RECEIPTS, Output, receipt

FILE = "vocabulary.txt"
"""The concepts that may be found, one word a line, sorted: all that the stage keeps of ConceptNet."""


@dataclass(frozen=True)
class ReadVocabulary:
    """Reads the single-word concepts of a ConceptNet file, and keeps them with the stage."""

    path: str
    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("side", RECEIPTS)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Writes FILE; yields it as the side input of the analysis, and its receipt."""
        words = read_vocabulary(self.path)
        data = encode_vocabulary(words)
        yield Output("side", 0, data)
        yield receipt(bucket, Ledger(), [write_file(storage.join(self.directory, FILE), data, len(words))])
