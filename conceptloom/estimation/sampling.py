"""Draws samples of raw files: pieces from all over each file, the same ones for the same seed.

A unit is what is drawn at once: a piece of a file of lines, a whole small file, or a record of a large file that cannot
be cut. Each has a place in [0, 1) by a seeded hash, and a sample of share s holds the units whose place is below s: so
smaller samples are parts of larger ones, and each file contributes its share.
"""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import BinaryIO, ClassVar

import numpy as np
import numpy.typing as npt

from conceptloom import storage
from conceptloom.corpus.locators import SourceFile
from conceptloom.hashing import seed_for, splitmix64
from conceptloom.readers.base import Entry, Malformed, Reader, Span, Text
from conceptloom.readers.ranges import end_of_lines, plan_spans, raw_lines, read_span, up_to

PIECE_BYTES = 32 * 1024


@dataclass(frozen=True)
class Replay:
    """Reads entries that were drawn from a file of reader `of`; one JSON list a line."""

    of: Reader
    splittable: ClassVar[bool] = False

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """Yields the entries as they were read."""
        for line in stream:
            parts = json.loads(line)
            yield Text(*parts) if len(parts) == len(Text._fields) else Malformed(*parts)

    def field(self, item: int) -> str:
        """Returns the name as in the file itself."""
        return self.of.field(item)


@dataclass
class DrawnFile:
    """Nested samples of one file. Every list has a value for each share."""

    files: list[SourceFile]
    whole: float
    """The bytes of the file, up to the limit of records."""
    bytes: list[float] = field(default_factory=list)
    """How much of the file each sample represents."""
    units: list[list[int]] = field(default_factory=list)
    """The number of records of each unit, in sample order."""
    reading_seconds: float = 0.0
    """CPU time of reading the whole file, if only that finds its records; the sample's own stage excludes it."""


def places(file: int, units: int, seed: int) -> npt.NDArray[np.float64]:
    """Returns the place of each unit of a file in [0, 1), shape (units,): evenly spaced, in a seeded order."""
    order = np.argsort(splitmix64(np.arange(units, dtype=np.uint64) ^ seed_for(f"estimate {file}", seed)))
    start = float(splitmix64(np.uint64(file) ^ seed_for("estimate", seed)) >> np.uint64(11)) / 2**53
    rank = np.empty(units)
    rank[order] = np.arange(units)
    return (rank + start) / units


def draw(
    number: int, file: SourceFile, size: int, shares: Sequence[float], small: int, limit: int | None, seed: int, to: str
) -> DrawnFile:
    """Writes nested samples of file `number`, of about `size` bytes decompressed, into the directory `to`.

    A file that cannot be cut is one unit up to `small` bytes; a larger one is read as a whole, to draw records from it.
    `limit` is as in a build: only the first `limit` records of the file count.
    """
    info = storage.FileInfo(file.path, size, 0)
    pieces = plan_spans(info, file.reader, file.encoding, PIECE_BYTES)
    paths = [storage.join(to, f"{at}-{number:05d}") for at in range(len(shares))]
    if len(pieces) > 1:
        if limit is not None:
            pieces = up_to(pieces, end_of_lines(file.path, limit))
        return _draw_pieces(number, file, pieces, (pieces[-1].end or size) - pieces[0].start, shares, seed, paths)
    return _draw_records(number, file, size, shares, small, limit, seed, paths)


def _draw_pieces(
    number: int, file: SourceFile, pieces: list[Span], whole: int, shares: Sequence[float], seed: int, paths: list[str]
) -> DrawnFile:
    at = places(number, len(pieces), seed)
    drawn = DrawnFile([replace(file, path=path) for path in paths], whole)
    for share, path in zip(shares, paths, strict=True):
        chosen = [pieces[unit] for unit in np.flatnonzero(at < share)]
        blocks = list(raw_lines(file.path, chosen)) if chosen else []
        storage.write_bytes(path, b"".join(blocks))
        drawn.bytes.append(float(sum(map(len, blocks))))
        drawn.units.append([block.count(b"\n") for block in blocks])
    return drawn


def _draw_records(
    number: int,
    file: SourceFile,
    size: int,
    shares: Sequence[float],
    small: int,
    limit: int | None,
    seed: int,
    paths: list[str],
) -> DrawnFile:
    drawn = DrawnFile([replace(file, path=path, encoding="utf-8", reader=Replay(file.reader)) for path in paths], size)
    alone = places(number, 1, seed)[0]
    begin = time.thread_time()
    entries = list(_entries(file, limit)) if size > small or alone < max(shares) else []
    drawn.reading_seconds = time.thread_time() - begin
    records = np.array([entry.record for entry in entries], dtype=np.uint64)
    names, unit = np.unique(records, return_inverse=True)
    at = places(number, len(names), seed)[unit] if size > small else np.full(len(entries), alone)
    for share, path in zip(shares, paths, strict=True):
        chosen = np.flatnonzero(at < share)
        storage.write_bytes(path, _lines(entries[row] for row in chosen))
        drawn.bytes.append(size * len(chosen) / max(len(entries), 1))
        found = len(np.unique(records[chosen]))
        drawn.units.append([1] * found if size > small else [found])
    return drawn


def _entries(file: SourceFile, limit: int | None) -> Iterator[Entry]:
    entries = read_span(Span(file.path), file.reader, file.encoding)
    return entries if limit is None else takewhile(lambda entry: entry.record <= limit, entries)


def _lines(entries: Iterable[Entry]) -> bytes:
    return "".join(f"{json.dumps(entry)}\n" for entry in entries).encode()
