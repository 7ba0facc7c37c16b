"""What the tests of the readers share."""

import gzip
import io
from pathlib import Path

import pytest

from conceptloom.readers import Entry, Malformed, Reader, Span, Text, read_span

DATA = Path(__file__).parents[2].parent / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the real data is not in ../shared/data")


def read(reader: Reader, content: bytes, encoding: str = "utf-8", first: int = 1) -> list[Entry]:
    return list(reader.read(io.BytesIO(content), encoding, first))


def read_path(path: Path, reader: Reader, encoding: str = "utf-8") -> list[Entry]:
    return list(read_span(Span(str(path)), reader, encoding))


def texts(entries: list[Entry]) -> list[str]:
    return [entry.text for entry in entries if isinstance(entry, Text)]


def reasons(entries: list[Entry]) -> list[str]:
    return [entry.reason if isinstance(entry, Malformed) else "" for entry in entries]


def places(entries: list[Entry]) -> list[tuple[int, int]]:
    return [(entry.record, entry.item) for entry in entries if isinstance(entry, Text)]


def zipped(path: Path, content: bytes) -> Path:
    path.write_bytes(gzip.compress(content))
    return path
