"""Image captions, one a line: Flickr8k and Flickr30k with the image's name, Conceptual Captions with its URL.

Nothing in these files is quoted: a quotation mark is part of the caption.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, ClassVar

from conceptloom.readers.base import READERS, Entry, Malformed, ReaderEntry, Text
from conceptloom.readers.linewise import read_lines
from conceptloom.readers.texts import excerpt

FLICKR_LINE = re.compile(r"[^\t|]+\.jpe?g[^\t|]*(?:#\d+\t|\| *\d+ *\| ?)(?P<caption>.*)", re.DOTALL)
"""`NAME.jpg#0<TAB>caption` (token files) or `NAME.jpg| 0| caption` (Flickr30k's results.csv)."""

FLICKR_HEADER = re.compile(r"image_name *\| *comment_number *\| *comment")
CONCEPTUAL_LINE = re.compile(r"(?P<caption>[^\t]*)\thttps?://[^\t ]+")


@dataclass(frozen=True)
class Flickr:
    """Each line is a record with one caption; the header of results.csv counts as a line but yields no text."""

    splittable: ClassVar[bool] = True

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`."""
        wanted = "neither NAME#NUMBER<TAB>caption nor NAME| NUMBER| caption"
        for entry in _captions(stream, encoding, first, FLICKR_LINE, wanted):
            if entry.record > 1 or not FLICKR_HEADER.fullmatch(entry.text.strip()):
                yield entry

    def field(self, item: int) -> str:
        """Returns `caption`."""
        return "caption"


@dataclass(frozen=True)
class ConceptualCaptions:
    """Each line is a record with one caption."""

    splittable: ClassVar[bool] = True

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`."""
        return _captions(stream, encoding, first, CONCEPTUAL_LINE, "not caption<TAB>address of the image")

    def field(self, item: int) -> str:
        """Returns `caption`."""
        return "caption"


def _captions(stream: BinaryIO, encoding: str, first: int, form: re.Pattern[str], wanted: str) -> Iterator[Entry]:
    """Yields the caption of each line; a blank line is a record without text."""
    for line in read_lines(stream, encoding, first):
        if isinstance(line, Malformed) or not line.text.strip():
            yield line
        elif found := form.fullmatch(line.text):
            yield Text(line.record, 0, found["caption"])
        else:
            yield Malformed(line.record, "broken_example", wanted, excerpt(line.text))


READERS.add("flickr", ReaderEntry("Flickr8k / Flickr30k captions (NAME#0<TAB>caption, results.csv)", Flickr))
READERS.add("conceptual-captions", ReaderEntry("Conceptual Captions (caption<TAB>address)", ConceptualCaptions))
