"""Stage select as a PTransform."""

from collections.abc import Mapping
from typing import Any

import apache_beam as beam

from conceptloom.selection.routes import Routes
from conceptloom.similarity import merge_frequencies
from conceptloom.tasks.korean_commongen.select import (
    CapPostings,
    CountMorphemes,
    KeepSelected,
    ScorePostings,
    Selection,
    SendPostings,
    decode_frequencies,
    encode_frequencies,
)
from conceptloom.transforms.blocks import EachBucket, GroupBlocks, GroupEveryBucket, MapBlocks, Single
from conceptloom.transforms.models import MapBlocksWithModel
from conceptloom.transforms.receipts import CollectReceipts

SENT, SCORED = 0.4, 0.5
"""About how much of the stage's work sending and scoring are; the sentences that are kept or not tell the rest."""


class Select(beam.PTransform):
    """Sends sentences to their postings, scores each posting, and keeps the union of what the postings keep.

    Two shuffles: posting rows by concept, and chosen ids back to the shard that they came from. Among very many shards
    the posting rows travel in two steps, and are capped between them. `hints` are Beam's resource hints for the
    scoring, the one step that may want an accelerator.
    """

    def __init__(
        self, selection: Selection, buckets: int, source_directory: str, directory: str, hints: Mapping[str, str]
    ) -> None:
        super().__init__()
        self._selection = selection
        self._buckets = buckets
        self._source = source_directory
        self._directory = directory
        self._hints = hints

    def expand(self, begin: Any) -> beam.PCollection[str]:
        shards = begin | "Shards" >> EachBucket(self._buckets)
        frequencies = self._frequencies(shards)
        grouped = self._postings(shards, frequencies) | "By concept" >> GroupEveryBucket(self._buckets)
        scored = grouped | "Score" >> self._score(frequencies)
        chosen = scored["chosen"] | "By id" >> GroupEveryBucket(self._buckets)
        kept = chosen | "Keep" >> MapBlocks(KeepSelected(self._source, self._directory))
        receipts = (scored["receipts"], kept["receipts"])
        return receipts | "Receipts" >> CollectReceipts("select", self._directory)

    def _score(self, frequencies: beam.PCollection[bytes] | None) -> beam.PTransform[Any, Any]:
        score = ScorePostings(self._selection, self._directory, self._buckets)
        if self._selection.scorer.one_process:
            return MapBlocksWithModel("select", score, hints=self._hints, share=SCORED / self._buckets)
        return MapBlocks(score, frequencies, SCORED / self._buckets).with_resource_hints(**self._hints)

    def _postings(self, shards: beam.PCollection[Any], frequencies: beam.PCollection[bytes] | None) -> Any:
        routes = Routes.among(self._buckets)
        send = SendPostings(self._selection, self._source, routes)
        postings = (shards | "Send" >> MapBlocks(send, frequencies, SENT / self._buckets))["postings"]
        if not routes.groups:
            return postings
        met = postings | "By group of shards" >> GroupBlocks()
        return (met | "Cap" >> MapBlocks(CapPostings(self._selection, routes)))["capped"]

    def _frequencies(self, shards: beam.PCollection[Any]) -> beam.PCollection[bytes] | None:
        if not self._selection.scorer.wants_frequencies:
            return None
        counted = shards | "Count morphemes" >> MapBlocks(CountMorphemes(self._source))
        return counted["frequencies"] | "Frequencies" >> Single(merge_blocks)


def merge_blocks(blocks: list[bytes]) -> bytes:
    """Returns the frequencies of many shards as those of the corpus."""
    return encode_frequencies(merge_frequencies([decode_frequencies(block) for block in blocks]))
