"""Stage ingest: from raw files to analysed sentences in any language."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.arrays.columns import strings
from conceptloom.arrays.types import Bool, Int64
from conceptloom.corpus.analysers import OpenAnalyser, SentenceAnalyser
from conceptloom.corpus.duplicates import first_places, sort_raw
from conceptloom.corpus.locators import SourceFile, locate
from conceptloom.corpus.raw import MALFORMED, ROWS
from conceptloom.corpus.units import Unit
from conceptloom.hashing import ID_LENGTH, bucket_of, id_heads
from conceptloom.ledger import Ledger, count_written, reject
from conceptloom.readers.base import Entry, Malformed, Span
from conceptloom.readers.ranges import count_lines, read_span
from conceptloom.schemas import RAW, REJECTED
from conceptloom.tables import by_bucket, from_ipc, write_table
from conceptloom.tasks.base import RECEIPTS, Output, receipt, shard_name

DUPLICATE = "duplicate"
BLOCK_ROWS = 32
"""Minimum average number of sentences in a block for one of very many buckets, since a block's header takes 1 KB."""
BLOCK = 4096
"""Sentences analysed at once: enough to amortise a call, and few enough to stay in the processor's cache."""


@dataclass(frozen=True)
class CountLines:
    """Counts the lines of one span, so that the records of a file can be numbered when it is read in pieces."""

    files: tuple[SourceFile, ...]
    outputs: ClassVar[tuple[str, ...]] = ("lines",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields [span number, lines] as JSON. The bucket is the span's number."""
        for block in blocks:
            span = decode_span(block, self.files)
            lines = count_lines(span.path, span.start, span.end)
            yield Output("lines", 0, json.dumps([bucket, lines]).encode())


@dataclass(frozen=True)
class ReadSpan:
    """Reads one span of a file, turns its records into units, and sends each to the bucket of its id."""

    files: tuple[SourceFile, ...]
    unit: Unit
    buckets: int
    limit: int | None = None
    outputs: ClassVar[tuple[str, ...]] = ("raw", RECEIPTS)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """The bucket is the span's number; `side` is the first record of each span, as JSON."""
        firsts = json.loads(side) if side else {}
        for block in blocks:
            yield from self._read(bucket, block, firsts.get(str(bucket), 1))

    def _read(self, bucket: int, block: bytes, first: int) -> Iterator[Output]:
        span = decode_span(block, self.files)
        span = replace(span, first=first)
        number = json.loads(block)["file"]
        file = self.files[number]
        counts = Records()
        results = counts.watch(self._limited(read_span(span, file.reader, file.encoding)))
        ledger = Ledger()
        others = Counter[str]()
        size = max(ROWS, BLOCK_ROWS * self.buckets)
        for table in self.unit.tables(results, number, file.reader, others, size):
            ledger.of(file.source).read += len(table)
            ids = strings(table["id"], ID_LENGTH)
            yield from (Output("raw", *block) for block in by_bucket(table, bucket_of(id_heads(ids), self.buckets)))
        told = {"records": counts.records, "malformed": counts.malformed, **others}
        yield receipt(bucket, ledger, **{name: {file.source: count} for name, count in told.items()})

    def _limited(self, results: Iterator[Entry]) -> Iterator[Entry]:
        limit = self.limit
        return results if limit is None else takewhile(lambda result: result.record <= limit, results)


class Records:
    """Counts the records among the entries that pass through, and those with anything malformed."""

    def __init__(self) -> None:
        self.records = self.malformed = 0
        self._last = self._last_malformed = 0

    def watch(self, results: Iterator[Entry]) -> Iterator[Entry]:
        """Yields the entries unchanged, counting them a block at a time."""
        while some := list(islice(results, BLOCK)):
            found, self._last = _changes((one.record for one in some), self._last)
            self.records += found
            malformed = (one.record for one in some if isinstance(one, Malformed))
            found, self._last_malformed = _changes(malformed, self._last_malformed)
            self.malformed += found
            yield from some


def _changes(numbers: Iterable[int], last: int) -> tuple[int, int]:
    """Returns how many of the numbers differ from the one before, the first from `last`, and the last of all."""
    found = 0
    for number in numbers:
        found += number != last
        last = number
    return found, last


def encode_span(file: int, span: Span) -> bytes:
    """Returns a span as bytes for a shuffle: the file only by its number, since workers have the files."""
    return json.dumps({"file": file, "start": span.start, "end": span.end}).encode()


def decode_span(block: bytes, files: tuple[SourceFile, ...]) -> Span:
    """The inverse of `encode_span`."""
    data = json.loads(block)
    return Span(files[data["file"]].path, data["start"], data["end"])


@dataclass(frozen=True)
class AnalyseBucket:
    """Removes duplicates within one bucket of ids; filters, tags and extracts; writes the bucket's shards."""

    files: tuple[SourceFile, ...]
    analyser: SentenceAnalyser
    seed: int
    directory: str
    outputs: ClassVar[tuple[str, ...]] = (RECEIPTS,)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Writes `sentences` and `rejected`; yields their receipt. `side` is what the analyser needs, if anything."""
        analyser = self.analyser.open(side)
        kept, rejected = analyse_bucket(from_ipc(blocks, RAW), self.files, analyser, self.seed)
        written = (("sentences", kept), ("rejected", rejected))
        files = [write_table(storage.join(self.directory, shard_name(kind, bucket)), table) for kind, table in written]
        yield receipt(bucket, count_written(kept, rejected), files)


def analyse_bucket(
    raw: pa.Table, files: tuple[SourceFile, ...], analyser: OpenAnalyser, seed: int
) -> tuple[pa.Table, pa.Table]:
    """Returns the kept sentences (the analyser's schema) and the rejected rows (REJECTED) of a bucket, sorted by id.

    `raw` has all rows of the bucket's ids, in any order.
    """
    raw = sort_raw(raw)
    located = raw.append_column("locator", locate(raw, files))
    located = located.append_column("source", pa.array([file.source for file in files]).take(raw["file"]))
    malformed = located.filter(pc.is_valid(located["reason"]))
    good = located.filter(pc.is_null(located["reason"]))
    places = np.arange(len(good))
    # Blank lines are equal, but no copies of a sentence: the analyser says that they are empty.
    blank = pc.equal(good["text"], "").to_numpy()
    first = np.where(blank, places, first_places(strings(good["id"], ID_LENGTH)))
    is_first = first == places
    unique = good.filter(pa.array(is_first))
    copies = np.bincount(first, minlength=len(first))[is_first].astype(np.int32)
    kept, filtered = _analysed(unique.append_column("copies", pa.array(copies)), analyser, seed)
    duplicates = _duplicates(good, first, is_first)
    unread = malformed.set_column(0, "id", pa.repeat("", len(malformed)))
    parts = [reject(unread, "ingest", malformed["reason"], malformed["detail"]), duplicates, filtered]
    return kept, pa.concat_tables(parts).sort_by([(name, "ascending") for name in ("id", "locator", "detail")])


def _duplicates(good: pa.Table, first: Int64, is_first: Bool) -> pa.Table:
    detail = pc.binary_join_element_wise("first at", good["locator"].take(pa.array(first[~is_first])), " ")
    return reject(good.filter(pa.array(~is_first)), "ingest", DUPLICATE, detail)


def _analysed(unique: pa.Table, analyser: OpenAnalyser, seed: int) -> tuple[pa.Table, pa.Table]:
    kept, rejected = [analyser.schema.empty_table()], [REJECTED.empty_table()]
    for start in range(0, len(unique), BLOCK):
        found, left_out = analyser.rows(unique.slice(start, BLOCK), seed)
        kept.append(found)
        rejected.append(left_out)
    return pa.concat_tables(kept).combine_chunks(), pa.concat_tables(rejected)


def malformed_rows(rejected: pa.Table, source: str) -> list[tuple[str, str]]:
    """Returns the locator and the detail of each malformed record of one source."""
    mask = pc.and_(pc.equal(rejected["reason"], MALFORMED), pc.equal(rejected["source"], source))
    rows = rejected.filter(mask)
    return list(zip(rows["locator"].to_pylist(), rows["detail"].to_pylist(), strict=True))
