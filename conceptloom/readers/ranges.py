"""From a path to records: decompression, encodings, and large files cut into spans that can be read in parallel."""

import gzip
import io
import zlib
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import BinaryIO

import numpy as np

from conceptloom import storage
from conceptloom.errors import InputError
from conceptloom.readers.base import Malformed, Reader, Span, Text
from conceptloom.readers.encoding import find_encoding, is_splittable, to_splittable

CHUNK = 1 << 20
HEAD_BYTES = 1 << 16
_GZIP = b"\x1f\x8b"


def plan_spans(info: storage.FileInfo, reader: Reader, encoding: str, span_bytes: int) -> list[Span]:
    """Returns the spans of a file: several for a large uncompressed file of lines, else one.

    `first_records` numbers the records of all but the first.
    """
    if span_bytes < 1:
        raise ValueError(f"span_bytes is {span_bytes}, not positive")
    if info.size <= span_bytes or not reader.splittable or not is_splittable(encoding) or _is_gzip(info.path):
        return [Span(info.path)]
    starts = range(0, info.size, span_bytes)
    return [Span(info.path, start, end) for start, end in zip(starts, [*starts[1:], None], strict=True)]


def up_to(spans: Sequence[Span], end: int | None) -> list[Span]:
    """Returns the spans of a file as far as the byte `end`, where the last of them ends (None: all of the file)."""
    if end is None:
        return list(spans)
    *kept, last = [span for span in spans if span.start < end]
    return [*kept, replace(last, end=end)]


def count_lines(path: str, start: int = 0, end: int | None = None) -> int:
    """Returns how many lines start in the bytes from `start` to `end`, including empty ones."""
    with storage.open_read(path, max(start - 1, 0)) as stream, _naming(path):
        lines = _count_followed(stream, None if end is None else end - max(start, 1))
        if start > 0 or end == 0:
            return lines
        stream.seek(0)
        return lines + len(stream.read(1))


def end_of_lines(path: str, lines: int, within: int | None = None) -> int | None:
    """Returns where the first lines of a file end, in bytes, or None if it has fewer lines, also in `within` bytes.

    Reads no further than that end, but for a chunk.
    """
    seen = at = 0
    with storage.open_read(path) as stream, _naming(path):
        while (within is None or at < within) and (chunk := stream.read(CHUNK)):
            here = chunk.count(b"\n")
            if seen + here >= lines:
                return at + _end_of(chunk, lines - seen)
            seen, at = seen + here, at + len(chunk)
    return None


def first_records(files: Sequence[int], lines: Sequence[int]) -> list[int]:
    """Returns the number of the first record of each span, from each span's file and number of lines.

    The spans of a file come in order; those of other files may stand between them.

    >>> first_records([0, 0, 1], [10, 5, 7])
    [1, 11, 1]
    """
    seen: Counter[int] = Counter()
    firsts = []
    for file, count in zip(files, lines, strict=True):
        firsts.append(seen[file] + 1)
        seen[file] += count
    return firsts


def read_span(span: Span, reader: Reader, encoding: str) -> Iterator[Text | Malformed]:
    """Yields the entries of a span. Raises InputError, with the path, if the file cannot be read any further."""
    with _open_span(span, encoding) as (stream, name), _naming(span.path):
        yield from reader.read(stream, name, span.first)


def raw_lines(path: str, spans: Sequence[Span]) -> Iterator[bytes]:
    """Yields the bytes of the lines of each span of one uncompressed file, without interpreting them."""
    with storage.open_read(path) as raw, _naming(path):
        for span in spans:
            data = _lines_of(raw, span).read()
            yield data if data.endswith(b"\n") or not data else data + b"\n"


def read_head(path: str, size: int = HEAD_BYTES) -> bytes:
    """Returns the first bytes of a file, decompressed, for `find_encoding` and `find_format`."""
    with storage.open_read(path) as raw, _naming(path):
        return _unzipped(raw).read(size)


@contextmanager
def open_text(path: str, encoding: str | None = None) -> Iterator[tuple[BinaryIO, str]]:
    """Yields a whole file as a decompressed stream without a byte-order mark, and its encoding: as given, or detected.

    Adds the path to an InputError raised in the block.
    """
    with _open_span(Span(path), encoding or find_encoding(read_head(path))) as opened, _naming(path):
        yield opened


@contextmanager
def _open_span(span: Span, encoding: str) -> Iterator[tuple[BinaryIO, str]]:
    with storage.open_read(span.path) as raw:
        with _naming(span.path):
            is_whole = span.start == 0 and span.end is None
            opened = to_splittable(_without_mark(_unzipped(raw)) if is_whole else _lines_of(raw, span), encoding)
        yield opened


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Adds the path to errors about a file's content."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path}: the gzip file is damaged or cut off ({error}); get the whole file again") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def _is_gzip(path: str) -> bool:
    with storage.open_read(path) as raw, _naming(path):
        return raw.read(2) == _GZIP


def _unzipped(raw: BinaryIO) -> BinaryIO:
    is_gzip = raw.read(2) == _GZIP
    raw.seek(0)
    stream: BinaryIO = gzip.GzipFile(fileobj=raw, mode="rb") if is_gzip else raw  # type: ignore[assignment]
    return stream


def _without_mark(stream: BinaryIO) -> BinaryIO:
    if stream.read(len(BOM_UTF8)) != BOM_UTF8:
        stream.seek(0)
    return stream


def _lines_of(raw: BinaryIO, span: Span) -> BinaryIO:
    """Returns the lines that start in the span. A span within one long line is read no further than its own end."""
    begin = _next_line(raw, span.start, span.end)
    if begin is None:
        return io.BytesIO()
    end = None if span.end is None else _next_line(raw, span.end, None)
    raw.seek(begin)
    if begin == 0:
        _without_mark(raw)
    return raw if end is None else io.BufferedReader(_Piece(raw, end - raw.tell()), CHUNK)


def _next_line(raw: BinaryIO, position: int, limit: int | None) -> int | None:
    """Returns where the first line at or after a position starts (the end of the file if none does).

    Returns None if that is at `limit` or beyond.
    """
    if position == 0:
        return 0
    raw.seek(position - 1)
    at = position - 1
    while (limit is None or at < limit - 1) and (chunk := raw.read(CHUNK)):
        found = chunk.find(b"\n")
        if found >= 0:
            start = at + found + 1
            return start if limit is None or start < limit else None
        at += len(chunk)
    return at if limit is None else None


def _end_of(chunk: bytes, lines: int) -> int:
    """Returns where the first lines of a chunk that has so many end."""
    feeds = np.flatnonzero(np.frombuffer(chunk, dtype=np.uint8) == ord("\n"))
    return int(feeds[lines - 1]) + 1


def _count_followed(stream: BinaryIO, left: int | None) -> int:
    """Returns the number of line feeds among the next `left` bytes (None: all) that are followed by anything."""
    lines, last = 0, b""
    while (left is None or left > 0) and (chunk := stream.read(CHUNK if left is None else min(CHUNK, left))):
        lines += chunk.count(b"\n")
        left = None if left is None else left - len(chunk)
        last = chunk[-1:]
    return lines - (last == b"\n" and not stream.read(1))


class _Piece(io.RawIOBase):
    """The next `size` bytes of a stream."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(min(len(buffer), self._left))
        buffer[: len(data)] = data
        self._left -= len(data)
        return len(data)
