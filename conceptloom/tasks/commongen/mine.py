"""Stage mine: from sentences to all their concept sets, one shard of lead concepts at a time (CommonGen, 3.1)."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.arrays.ids import pack_ids
from conceptloom.arrays.lists import without
from conceptloom.arrays.types import Column, Integers
from conceptloom.concepts import (
    BARE,
    CODED,
    MINED,
    TERM_COUNTS,
    Degrees,
    Lexicon,
    MiningRules,
    by_rarity,
    by_spelling,
    cap_concepts,
    code_sentences,
    count_degrees,
    count_terms,
    merge_counts,
    merge_degrees,
    mine,
    route,
)
from conceptloom.ledger import Ledger, count_read, count_written, reject
from conceptloom.tables import from_ipc, read_ipc, to_ipc, write_table
from conceptloom.tasks.base import RECEIPTS, Output, receipt, shard_name
from conceptloom.tasks.merging import above
from conceptloom.tasks.shards import read_shard

FEW_CONCEPTS = "few_concepts"
SHARD_SENTENCES = 8192
"""Sentences for each shard of lead concepts: with their copies they take about ten megabytes, and their sets about a
hundred thousand rows."""
TERMS = "terms.parquet"
"""The concepts in the order of their numbers, with their degrees; schema TERM_DEGREES."""

TERM_DEGREES = pa.schema([("term", pa.string()), ("degree", pa.int64())])

_CONCEPTS, _WORDS = b"c", b"w"


SIZE_UNIT = "concepts"
"""What a set's size counts: a ledger has `3 concepts` in place of a source."""


def size_name(size: int) -> str:
    """Returns the name of the sets of one size, which a ledger has in place of a source."""
    return f"{size} {SIZE_UNIT}"


def shards_of(captions: float) -> int:
    """Returns the number of shards of lead concepts for a number of captions."""
    return 1 + int(captions) // SHARD_SENTENCES


@dataclass(frozen=True)
class CountTerms:
    """Counts how many sentences of one shard contain each concept and each word."""

    rules: MiningRules
    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("terms",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields rows of schema TERM_COUNTS after a one-byte mark."""
        rows = read_shard(storage.join(self.directory, shard_name("sentences", bucket)), ["concepts", "words"])
        concepts = without(rows["concepts"], self.rules.stop_concepts)
        yield Output("terms", above(bucket), _CONCEPTS + to_ipc(count_terms(concepts)))
        yield Output("terms", above(bucket), _WORDS + to_ipc(count_terms(rows["words"])))


def _sums(blocks: Iterable[bytes]) -> tuple[pa.Table, pa.Table]:
    """Adds up marked counts: those of the concepts, and those of the words."""
    every = list(blocks)
    concepts, words = (
        merge_counts(from_ipc([block[1:]], TERM_COUNTS) for block in every if block[:1] == kind)
        for kind in (_CONCEPTS, _WORDS)
    )
    return concepts, words


@dataclass(frozen=True)
class AddTerms:
    """Adds up the counts of some shards: a level of the tree from the shards to `merge_terms`."""

    outputs: ClassVar[tuple[str, ...]] = ("terms",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields rows of schema TERM_COUNTS after a one-byte mark."""
        for kind, counts in zip((_CONCEPTS, _WORDS), _sums(blocks), strict=True):
            yield Output("terms", above(bucket), kind + to_ipc(counts))


def merge_terms(blocks: list[bytes]) -> bytes:
    """Returns the lexicons of all shards' terms as bytes: the concepts by rarity, the words by spelling."""
    concepts, words = _sums(blocks)
    terms = by_rarity(concepts).terms, by_spelling(words).terms
    return to_ipc(pa.table([pa.array([one], pa.list_(pa.string())) for one in terms], ["concepts", "words"]))


@lru_cache(maxsize=1)
def lexicons(data: bytes) -> tuple[Lexicon, Lexicon]:
    """The inverse of `merge_terms`; cached, since every shard of a process needs the same lexicons."""
    table = read_ipc(data)
    concepts, words = (table[name].combine_chunks().flatten() for name in ("concepts", "words"))
    return Lexicon(concepts), Lexicon(words)


@dataclass(frozen=True)
class CodeShard:
    """Encodes the sentences of one shard as numbers, and sends each to the shards of its possible lead concepts."""

    rules: MiningRules
    shards: int
    source: str
    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("routed", RECEIPTS)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Writes `coded` (see `stored_schema`) and `rejected`; yields blocks of CODED, and the receipt."""
        sentences = read_shard(storage.join(self.source, shard_name("sentences", bucket)))
        place = sentences.schema.get_field_index("concepts")
        possible = without(sentences["concepts"], self.rules.stop_concepts)
        sentences = sentences.set_column(place, "concepts", possible)
        enough = pc.greater_equal(pc.list_value_length(sentences["concepts"]), min(self.rules.sizes))
        kept, few = sentences.filter(enough), sentences.filter(pc.invert(enough))
        rejected = reject(few, "mine", FEW_CONCEPTS, pc.binary_join(few["concepts"], "#"))
        coded, lost = cap_concepts(self._coded(kept, side or b""), self.rules.max_concepts)
        yield from (Output("routed", *block) for block in route(coded, min(self.rules.sizes), self.shards))
        stored = coded.select(stored_schema(self.rules.distinct_words).names)
        written = (("coded", stored), ("rejected", rejected))
        files = [write_table(storage.join(self.directory, shard_name(kind, bucket)), table) for kind, table in written]
        ledger = count_read(sentences["source"])
        ledger.add(count_written(kept, rejected))
        yield receipt(bucket, ledger, files, **_capped(kept["source"], lost))

    def _coded(self, sentences: pa.Table, terms: bytes) -> pa.Table:
        clashes = sentences["clashes"] if self.rules.distinct_words else None
        ids, concepts, words = pack_ids(sentences["id"]), sentences["concepts"], sentences["words"]
        return code_sentences(ids, concepts, words, *lexicons(terms), clashes)


def stored_schema(distinct_words: bool) -> pa.Schema:
    """Returns the schema of the files `coded`, by MiningRules.distinct_words; `from_stored` reads both."""
    return CODED if distinct_words else BARE


def _capped(sources: pa.ChunkedArray, lost: Integers) -> dict[str, dict[str, int]]:
    """Returns, by source, how many sentences had more concepts than are mined, and how many concepts they lost."""
    rows = np.flatnonzero(lost)
    sentences, concepts = Counter[str](), Counter[str]()
    for source, number in zip(sources.take(pa.array(rows)).to_pylist(), lost[rows].tolist(), strict=True):
        sentences[source] += 1
        concepts[source] += number
    return {"capped_sentences": sentences, "capped_concepts": concepts}


@dataclass(frozen=True)
class MineShard:
    """Finds all concept sets of one shard of lead concepts."""

    rules: MiningRules
    shards: int
    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("degrees", RECEIPTS)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Writes `mined` (schema MINED); yields the degrees of its concepts, and the receipt with the sets by size."""
        found = list(mine(from_ipc(blocks, CODED).to_batches(), self.rules, bucket, self.shards))
        table = pa.Table.from_batches(found, MINED)
        file = write_table(storage.join(self.directory, shard_name("mined", bucket)), table)
        yield Output("degrees", above(bucket), merge_degrees(map(count_degrees, found)).to_bytes())
        yield receipt(bucket, Ledger(), [file], made=sizes_of(table["concepts"]), **_supports(table))


def sizes_of(concepts: Column) -> dict[str, int]:
    """Returns how many sets there are of each size, by `size_name`."""
    counts = pc.value_counts(pc.list_value_length(concepts)).to_pylist()
    return {size_name(one["values"]): one["counts"] for one in counts}


def _supports(mined: pa.Table) -> dict[str, dict[str, int]]:
    return {"supports": {"all": pc.sum(mined["support"], min_count=0).as_py()}}


@dataclass(frozen=True)
class AddDegrees:
    """Adds up the degrees of some shards: a level of the tree from the shards to WriteTerms."""

    outputs: ClassVar[tuple[str, ...]] = ("degrees",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields the degrees as bytes."""
        yield Output("degrees", above(bucket), merge_degrees(map(Degrees.from_bytes, blocks)).to_bytes())


@dataclass(frozen=True)
class WriteTerms:
    """Adds up the degrees of all shards and writes them."""

    directory: str
    outputs: ClassVar[tuple[str, ...]] = (RECEIPTS,)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Writes TERMS; `side` is the result of `merge_terms`."""
        concepts, _ = lexicons(side or b"")
        degrees = merge_degrees(map(Degrees.from_bytes, blocks)).of_concept
        every = np.concatenate((degrees, np.zeros(len(concepts) - len(degrees), dtype=np.int64)))
        table = pa.table([concepts.terms, pa.array(every)], schema=TERM_DEGREES)
        yield receipt(bucket, Ledger(), [write_table(storage.join(self.directory, TERMS), table)])
