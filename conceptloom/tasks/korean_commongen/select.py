"""Stage select: a posting for each concept, the centrality of its sentences, the top-k of each (section 3.1)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.arrays.columns import one_array, strings
from conceptloom.arrays.ids import id_strings, pack_digits, pack_ids
from conceptloom.arrays.runs import distinct, positions
from conceptloom.hashing import ID_LENGTH, bucket_of, id_heads
from conceptloom.ledger import Ledger, count_read, count_written, reject
from conceptloom.schemas import INDEX, SENTENCES
from conceptloom.selection.postings import Unit, explode, in_postings, posting_keys, posting_schema, under_cap
from conceptloom.selection.routes import Routes
from conceptloom.similarity import (
    Encoder,
    Frequencies,
    Scorer,
    ScorerOptions,
    StaticKo,
    TextEncoder,
    count_frequencies,
    rank_order,
)
from conceptloom.tables import Block, bucket_order, by_bucket, from_ipc, in_buckets, read_ipc, to_ipc, write_table
from conceptloom.tasks.base import RECEIPTS, Output, receipt, shard_name
from conceptloom.tasks.shards import read_shard

NOT_SELECTED = "not_selected"
CHOSEN = pa.schema([("id", pa.binary(10))])


@dataclass(frozen=True)
class Selection:
    """How sentences are selected: the postings, the scorer, and how many each posting keeps."""

    scorer: ScorerOptions = field(default_factory=StaticKo)
    unit: Unit = "concept"
    per_source: bool = True
    limit: int = 100
    top: int = 2
    seed: int = 0

    def open_scorer(self, side: bytes | None) -> Scorer:
        """Returns the process's one scorer; `side` holds the corpus's frequencies where it needs them."""
        return _scorer(self.scorer, side)

    def open_encoder(self, side: bytes | None) -> Encoder:
        """Returns the first step of the scorer; one that another process holds is not opened for it."""
        return TextEncoder() if self.scorer.one_process else self.open_scorer(side)


@lru_cache(maxsize=1)
def _scorer(options: ScorerOptions, side: bytes | None) -> Scorer:
    return options.open(decode_frequencies(side) if side else None)


def encode_frequencies(frequencies: Frequencies) -> bytes:
    """Returns the frequencies as one block: a first row, without morpheme, for the sentences, and one a morpheme."""
    morphemes = pa.concat_arrays([pa.array([None], pa.string()), frequencies.morphemes.cast(pa.string())])
    counts = pa.array(np.append(frequencies.sentences, frequencies.counts).astype(np.int64))
    return to_ipc(pa.table([morphemes, counts], schema=FREQUENCIES))


def decode_frequencies(block: bytes) -> Frequencies:
    """The inverse of `encode_frequencies`."""
    table = from_ipc([block], FREQUENCIES).combine_chunks()
    counts = table["count"].to_numpy()
    return Frequencies(int(counts[0]), table["morpheme"].combine_chunks()[1:], counts[1:])


FREQUENCIES = pa.schema([("morpheme", pa.string()), ("count", pa.int64())])


@dataclass(frozen=True)
class CountMorphemes:
    """Counts in how many sentences of one shard each content morpheme occurs."""

    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("frequencies",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields the frequencies of the shard of this bucket."""
        table = read_shard(storage.join(self.directory, shard_name("sentences", bucket)))
        yield Output("frequencies", 0, encode_frequencies(count_frequencies(_as_batch(table))))


@dataclass(frozen=True)
class SendPostings:
    """Sends each sentence of one shard to its postings, a hot posting capped before it is sent."""

    selection: Selection
    directory: str
    routes: Routes
    outputs: ClassVar[tuple[str, ...]] = ("postings",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields posting rows, by the first key of their route."""
        sentences = read_shard(storage.join(self.directory, shard_name("sentences", bucket)))
        encoder = self.selection.open_encoder(side)
        for block in send_postings(sentences, self.selection, encoder, self.routes, bucket):
            yield Output("postings", *block)


def send_postings(
    sentences: pa.Table, selection: Selection, encoder: Encoder, routes: Routes, shard: int = 0
) -> Iterator[Block]:
    """Returns the posting rows of the sentences of one shard as blocks for each first key."""
    rows, concepts = explode(sentences, selection.unit)
    ids = pack_ids(sentences["id"])
    keys = posting_keys(concepts, sentences["source"], ids, rows, selection.per_source)
    kept = under_cap(keys, selection.limit, selection.seed)
    buckets = routes.first(keys.concept[kept], shard)
    order = bucket_order(buckets)
    kept, buckets = kept[order], buckets[order]
    at = pa.array(rows[kept])
    features = encoder.encode(_as_batch(sentences))
    columns = [concepts.take(pa.array(kept)), one_array(sentences["source"]).take(at), ids.take(at), features.take(at)]
    table = pa.table(columns, schema=posting_schema(features.type))
    return in_buckets(table, buckets)


@dataclass(frozen=True)
class CapPostings:
    """Caps the postings of a range of concepts over a group of shards, where routes have groups.

    The priority that the cap goes by is a total order: what a posting keeps of all shards is among what it keeps of
    each group, so the bucket ends with the same rows.
    """

    selection: Selection
    routes: Routes
    outputs: ClassVar[tuple[str, ...]] = ("capped",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields posting rows, by the bucket of their concept."""
        rows = pa.concat_tables(map(read_ipc, blocks))
        keys = posting_keys(rows["concept"], rows["source"], rows["id"], per_source=self.selection.per_source)
        kept = under_cap(keys, self.selection.limit, self.selection.seed)
        table = rows.take(pa.array(kept)).combine_chunks()
        yield from (Output("capped", *block) for block in by_bucket(table, self.routes.last(keys.concept[kept])))


@dataclass(frozen=True)
class ScorePostings:
    """Scores the postings of one bucket of concepts, writes their part of the index, and names what they keep."""

    selection: Selection
    directory: str
    id_buckets: int
    outputs: ClassVar[tuple[str, ...]] = ("chosen", RECEIPTS)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields the ids that some posting keeps, by bucket of the id."""
        return OpenScoring(self, self.selection.open_scorer(side)).run(bucket, blocks, None)

    def open(self) -> "OpenScoring":
        """See ModelTask: the same, with a scorer that one process holds."""
        return OpenScoring(self, self.selection.scorer.open(None))


@dataclass(frozen=True)
class OpenScoring:
    """The scoring of postings with an opened scorer."""

    task: ScorePostings
    scorer: Scorer
    outputs: ClassVar[tuple[str, ...]] = ScorePostings.outputs

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """See ScorePostings."""
        task, scorer = self.task, self.scorer
        features = scorer.encode(_as_batch(SENTENCES.empty_table())).type
        index = score_postings(from_ipc(blocks, posting_schema(features)), task.selection, scorer)
        chosen = distinct(strings(index["sentence_id"].filter(index["selected"]), ID_LENGTH))
        table = pa.table([pack_digits(chosen)], schema=CHOSEN)
        yield from (
            Output("chosen", *block) for block in by_bucket(table, bucket_of(id_heads(chosen), task.id_buckets))
        )
        file = write_table(storage.join(task.directory, shard_name("index", bucket)), index)
        yield receipt(bucket, Ledger(), [{**file, "scorer": scorer.signature()}])


def score_postings(postings: pa.Table, selection: Selection, scorer: Scorer) -> pa.Table:
    """Returns the index rows (schema INDEX) of whole postings, sorted by concept, source and rank.

    `postings` may hold more than N_s rows of a posting, in any order: the cap is applied once more to the whole.
    """
    keys = posting_keys(postings["concept"], postings["source"], postings["id"], per_source=selection.per_source)
    kept = under_cap(keys, selection.limit, selection.seed)
    order, offsets = in_postings(keys.take(kept))
    rows = kept[order]
    features = one_array(postings["features"].take(pa.array(rows)))
    scores = np.round(scorer.centralities(features, offsets), 5) + 0.0
    by_rank = rank_order(scores, offsets)
    taken = postings.select(["concept", "source", "id"]).take(pa.array(rows[by_rank]))
    rank = (positions(np.diff(offsets)) + 1).astype(np.int32)
    columns = [taken["concept"], taken["source"], id_strings(taken["id"]), scores[by_rank], rank, rank <= selection.top]
    return pa.table(columns, schema=INDEX)


@dataclass(frozen=True)
class KeepSelected:
    """Separates one shard of sentences into those that some posting keeps and the others."""

    source_directory: str
    directory: str
    outputs: ClassVar[tuple[str, ...]] = (RECEIPTS,)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Writes `sentences` and `rejected`; yields their receipt."""
        sentences = read_shard(storage.join(self.source_directory, shard_name("sentences", bucket)))
        chosen = from_ipc(blocks, CHOSEN)
        kept, rejected = keep_selected(sentences, id_strings(chosen["id"]))
        written = (("sentences", kept), ("rejected", rejected))
        files = [write_table(storage.join(self.directory, shard_name(kind, bucket)), table) for kind, table in written]
        ledger = count_read(sentences["source"])
        ledger.add(count_written(kept, rejected))
        yield receipt(bucket, ledger, files)


def keep_selected(sentences: pa.Table, chosen: pa.Array) -> tuple[pa.Table, pa.Table]:
    """Returns the sentences whose id is among `chosen`, and a rejected row for each of the others."""
    mask = pc.is_in(sentences["id"], value_set=chosen)
    return sentences.filter(mask), reject(sentences.filter(pc.invert(mask)), "select", NOT_SELECTED, "")


def _as_batch(table: pa.Table) -> pa.RecordBatch:
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)
