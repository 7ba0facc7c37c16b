"""Stage ingest as a PTransform."""

import json
from collections.abc import Iterable

import apache_beam as beam

from conceptloom.corpus.analysers import SentenceAnalyser
from conceptloom.corpus.locators import SourceFile
from conceptloom.readers.base import Span
from conceptloom.readers.ranges import first_records
from conceptloom.tables import Block
from conceptloom.tasks.base import Task
from conceptloom.tasks.ingest import AnalyseBucket, CountLines, ReadSpan, encode_span
from conceptloom.transforms.blocks import EachBucket, GroupBlocks, GroupEveryBucket, MapBlocks, Single
from conceptloom.transforms.receipts import CollectReceipts


class Ingest(beam.PTransform):
    """Reads spans of raw files, removes duplicates, filters, tags and extracts; writes a shard for each bucket.

    There is one shuffle of (bucket of the id, Arrow bytes) before tagging, so that duplicates are never tagged.
    `prepare` is a task that runs once; its output `side` is the side input of the analyser.
    """

    def __init__(
        self,
        files: tuple[SourceFile, ...],
        spans: list[tuple[int, Span]],
        buckets: int,
        analyser: SentenceAnalyser,
        seed: int,
        limit: int | None,
        directory: str,
        prepare: Task | None = None,
    ) -> None:
        super().__init__()
        self._files = files
        self._spans = [(number, encode_span(file, span)) for number, (file, span) in enumerate(spans)]
        self._owners = [file for file, _ in spans]
        self._buckets = buckets
        self._read = ReadSpan(files, analyser.unit, buckets, limit)
        self._analyse = AnalyseBucket(files, analyser, seed, directory)
        self._directory = directory
        self._prepare = prepare

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection[str]:
        spans = begin | "Spans" >> beam.Create(self._spans, reshuffle=False) | "Spread" >> GroupBlocks()
        read = spans | "Read" >> MapBlocks(self._read, self._first_records(spans))
        side, receipts = self._prepared(begin)
        grouped = read["raw"] | "By id" >> GroupEveryBucket(self._buckets)
        analysed = grouped | "Analyse" >> MapBlocks(self._analyse, side)
        receipts = (read["receipts"], analysed["receipts"], *receipts)
        return receipts | "Receipts" >> CollectReceipts("ingest", self._directory)

    def _prepared(
        self, begin: beam.pvalue.PBegin
    ) -> tuple[beam.PCollection[bytes] | None, tuple[beam.PCollection[Block], ...]]:
        if self._prepare is None:
            return None, ()
        prepared = begin | "Once" >> EachBucket(1) | "Prepare" >> MapBlocks(self._prepare)
        return prepared["side"] | "Side" >> Single(b"".join), (prepared["receipts"],)

    def _first_records(self, spans: beam.PCollection[tuple[int, Iterable[bytes]]]) -> beam.PCollection[bytes] | None:
        if len(set(self._owners)) == len(self._owners):
            return None
        counted = spans | "Count lines" >> MapBlocks(CountLines(self._files))
        return counted["lines"] | "First records" >> Single(FirstRecords(self._owners))


class FirstRecords:
    """Combines the line counts of spans into the number of each span's first record, as JSON by span number."""

    def __init__(self, owners: list[int]) -> None:
        self._owners = owners

    def __call__(self, blocks: list[bytes]) -> bytes:
        lines = dict(json.loads(block) for block in blocks)
        firsts = first_records(self._owners, [lines[span] for span in range(len(self._owners))])
        return json.dumps(dict(enumerate(firsts))).encode()
