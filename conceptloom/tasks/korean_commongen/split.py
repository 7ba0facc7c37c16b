"""Stage split: validation and test under a split policy, and the statistics of the result (section 3, table 1)."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.arrays.building import text_array
from conceptloom.arrays.concept_sets import concept_sets
from conceptloom.arrays.types import Bool, UInt8
from conceptloom.hashing import bucket_of
from conceptloom.json_values import JsonObject
from conceptloom.ledger import count_read, count_written
from conceptloom.schemas import SENTENCES
from conceptloom.splits import (
    LONE_PAIRS,
    PAIR_EVIDENCE,
    SET_ROWS,
    SPLIT_NAMES,
    Assignment,
    Candidates,
    Division,
    Policy,
    assign,
    candidates,
    divide,
    dropped_rows,
    lone_pairs,
    merge_candidates,
    pair_evidence,
    set_rows,
)
from conceptloom.statistics import (
    Counts,
    EvalTuples,
    count_block,
    eval_tuples,
    examples_of_sentences,
    seen_in,
    split_statistics,
    unseen,
)
from conceptloom.tables import Block, by_bucket, from_ipc, read_streams, read_table, to_ipc, write_file, write_table
from conceptloom.tasks.base import RECEIPTS, STATISTICS, Output, receipt, shard_name
from conceptloom.tasks.shards import read_shard

DIVIDED = SENTENCES.append(pa.field("split", pa.string()))
"""A sentence with its split."""

_SETS, _LONE = b"s", b"l"
_HELD, _COUNTS, _SEEN = b"h", b"c", b"m"
_TRAIN = "train"


def routed(rows: pa.RecordBatch, key: str, buckets: int) -> Iterator[Block]:
    """Yields a block for each bucket that has any rows, by the hashes in column `key`."""
    table = pa.Table.from_batches([rows])
    return by_bucket(table, bucket_of(table[key].to_numpy(), buckets))


@dataclass(frozen=True)
class SendSets:
    """Sends the concept sets of one shard to the buckets of their hashes, and their pairs to those of the pairs."""

    policy: Policy
    stratify: bool
    buckets: int
    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("sets", "pairs")

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields rows of schemas SET_ROWS and, if the policy looks at pairs, PAIR_EVIDENCE."""
        sentences = read_shard(storage.join(self.directory, shard_name("sentences", bucket)))
        sets = concept_sets(sentences["concepts"])
        for number, data in routed(set_rows(sentences, sets, self.stratify), "set", self.buckets):
            yield Output("sets", number, _SETS + data)
        if self.policy.min_pairs:
            yield from (Output("pairs", *block) for block in routed(pair_evidence(sets), "pair", self.buckets))


@dataclass(frozen=True)
class FindLonePairs:
    """Finds the pairs of one bucket that only one set holds, and sends their number to that set's bucket."""

    buckets: int
    outputs: ClassVar[tuple[str, ...]] = ("lone",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields rows of schema LONE_PAIRS."""
        found = lone_pairs(from_ipc(blocks, PAIR_EVIDENCE).to_batches())
        yield from (Output("lone", number, _LONE + data) for number, data in routed(found, "set", self.buckets))


@dataclass(frozen=True)
class FindCandidates:
    """Finds the best candidates among the sets of one bucket."""

    policy: Policy
    wanted: int
    seed: int
    outputs: ClassVar[tuple[str, ...]] = ("candidates",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields the bucket's Candidates."""
        kinds = list(blocks)
        rows = from_ipc((block[1:] for block in kinds if block[:1] == _SETS), SET_ROWS).to_batches()
        lone = from_ipc((block[1:] for block in kinds if block[:1] == _LONE), LONE_PAIRS).to_batches()
        yield Output("candidates", 0, candidates(rows, lone, self.policy, self.wanted, self.seed).to_bytes())


@dataclass(frozen=True)
class Assign:
    """Chooses the held-out sets among the candidates of all buckets."""

    policy: Policy
    validation: int
    test: int
    seed: int

    def __call__(self, blocks: list[bytes]) -> bytes:
        """Returns the Assignment as bytes; raises BuildError if the policy cannot reach the sizes asked for."""
        parts = map(Candidates.from_bytes, blocks)
        merged = merge_candidates(parts, self.validation + self.test, self.seed)
        return assign(merged, self.validation, self.test, self.policy, self.seed).to_bytes()


@dataclass(frozen=True)
class DivideShard:
    """Divides one shard by the assignment: train, validation, test, or dropped with a reason."""

    policy: Policy
    source_directory: str
    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("statistics", RECEIPTS)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Writes `sentences` (schema DIVIDED) and `rejected`; yields counts, held-out rows and the receipt."""
        assignment = Assignment.from_bytes(side or b"")
        sentences = read_shard(storage.join(self.source_directory, shard_name("sentences", bucket)))
        yield from write_division(self.directory, bucket, sentences, divide(sentences, assignment, self.policy))


def divided(sentences: pa.Table, division: Division) -> tuple[pa.Table, pa.Table]:
    """Returns the sentences with their splits (schema DIVIDED), and the dropped ones (REJECTED)."""
    stays = pa.array(division.splits >= 0)
    kept = sentences if pc.all(stays).as_py() else sentences.filter(stays)
    names = text_array(SPLIT_NAMES.values()).take(pa.array(division.splits).filter(stays))
    return kept.append_column("split", names).cast(DIVIDED), dropped_rows(sentences, division)


def write_division(directory: str, bucket: int, sentences: pa.Table, division: Division) -> Iterator[Output]:
    """Writes the parts of a shard; yields their statistics and the receipt."""
    kept, rejected = divided(sentences, division)
    entry = write_table(storage.join(directory, shard_name("sentences", bucket)), kept)
    file = write_table(storage.join(directory, shard_name("rejected", bucket)), rejected)
    yield from statistics_of(kept)
    ledger = count_read(sentences["source"])
    ledger.add(count_written(kept, rejected))
    yield receipt(bucket, ledger, [{**entry, "splits": _split_sources(kept)}, file])


def statistics_of(rows: pa.Table) -> Iterator[Output]:
    """Yields the counts of each split of some rows (schema DIVIDED), and the held-out rows."""
    sets = concept_sets(rows["concepts"])
    for split in SPLIT_NAMES.values():
        own = np.flatnonzero(pc.equal(rows["split"], split).to_numpy())
        part = examples_of_sentences(rows.select(["concepts", "text", "source"]).take(pa.array(own)))
        yield Output("statistics", 0, _COUNTS + encode_counts(split, count_block(part, sets.take(own))))
    yield Output("statistics", 0, _HELD + to_ipc(rows.filter(pc.not_equal(rows["split"], _TRAIN))))


def _split_sources(kept: pa.Table) -> dict[str, dict[str, int]]:
    groups = kept.group_by(["split", "source"]).aggregate([([], "count_all")]).to_pylist()
    result: dict[str, dict[str, int]] = {}
    for row in groups:
        result.setdefault(row["split"], {})[row["source"]] = row["count_all"]
    return result


def encode_counts(split: str, counts: Counts) -> bytes:
    """Returns the counts of one split as bytes: a line of JSON, then the hashes of the concepts."""
    head = {**asdict(counts), "concepts": None, "split": split}
    return json.dumps(head).encode() + b"\n" + counts.concepts.astype("<u8").tobytes()


def decode_counts(data: bytes) -> tuple[str, Counts]:
    """The inverse of `encode_counts`."""
    head, _, hashes = data.partition(b"\n")
    fields = json.loads(head)
    split = fields.pop("split")
    fields["sizes"], fields["concepts"] = tuple(fields["sizes"]), np.frombuffer(hashes, dtype="<u8").astype(np.uint64)
    return split, Counts(**fields)


def held_rows(block: Block) -> Iterator[Block]:
    """Yields the rows of a block of statistics (schema DIVIDED), if it holds held-out rows."""
    bucket, data = block
    if data[:1] == _HELD:
        yield bucket, data[1:]


def held_splits(blocks: bytes) -> dict[str, pa.Table]:
    """Returns the held-out rows by split, as examples by id, from the blocks of `held_rows`, one after the other.

    Splits without rows are omitted.
    """
    held = pa.concat_tables([DIVIDED.empty_table(), *read_streams(blocks)]).sort_by("id")
    parts = {split: held.filter(pc.equal(held["split"], split)) for split in SPLIT_NAMES.values() if split != _TRAIN}
    return {split: examples_of_sentences(rows.combine_chunks()) for split, rows in parts.items() if len(rows)}


@lru_cache(maxsize=1)
def held_tuples(blocks: bytes) -> dict[str, EvalTuples]:
    """Returns the concept tuples of each held-out split; cached, since every shard of a process needs the same."""
    return {split: eval_tuples(rows) for split, rows in held_splits(blocks).items()}


@dataclass(frozen=True)
class MarkSeen:
    """Marks which concept tuples of the held-out splits occur in one shard of train."""

    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("statistics",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields a mask for each held-out split; `side` has the blocks of `held_rows`."""
        # A shard of this stage, which has no manifest yet.
        shard = read_table(storage.join(self.directory, shard_name("sentences", bucket)), ["concepts", "split"])
        train = concept_sets(shard["concepts"].filter(pc.equal(shard["split"], _TRAIN)))
        for split, tuples in held_tuples(side or b"").items():
            mask = np.packbits(seen_in(train, tuples))
            yield Output("statistics", 0, _SEEN + f"{split}\n".encode() + mask.tobytes())


@dataclass(frozen=True)
class Summarise:
    """Merges the statistics of all shards and writes them."""

    directory: str
    outputs: ClassVar[tuple[str, ...]] = (RECEIPTS,)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Writes STATISTICS; `side` has the blocks of `held_rows`."""
        data = json.dumps(summarise(list(blocks), side or b""), ensure_ascii=False, indent=1).encode()
        file = write_file(storage.join(self.directory, STATISTICS), data, 1)
        yield receipt(bucket, count_read(pa.array([], pa.string())), [file])


def summarise(blocks: list[bytes], held: bytes) -> JsonObject:
    """Returns the statistics of each split (JSON values) from counts, held-out rows and masks."""
    counts: dict[str, Counts] = {}
    seen: dict[str, UInt8] = {}
    for block in sorted(blocks):
        if block[:1] == _COUNTS:
            split, more = decode_counts(block[1:])
            counts[split] = counts.get(split, Counts()).merge(more)
        elif block[:1] == _SEEN:
            name, _, mask = block[1:].partition(b"\n")
            packed = np.frombuffer(mask, dtype=np.uint8)
            seen[name.decode()] = packed | seen.get(name.decode(), np.zeros_like(packed))
    fresh = {
        split: unseen(tuples, _unpacked(seen[split], len(tuples.nothing_seen())))
        for split, tuples in held_tuples(held).items()
    }
    return {split: split_statistics(counts[split], fresh.get(split)).to_json() for split in SPLIT_NAMES.values()}


def _unpacked(packed: UInt8, length: int) -> Bool:
    return np.unpackbits(packed, count=length).astype(np.bool_)
