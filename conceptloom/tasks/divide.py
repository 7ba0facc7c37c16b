"""Stage split of concept sets: train gives way to dev and test, and every set gets its sentences (CommonGen, 3.5)."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.concepts import CODED, supporters
from conceptloom.corpus.analysis import shuffled
from conceptloom.hashing import UInt64, bucket_of
from conceptloom.ledger import Ledger
from conceptloom.schemas import DATA, REJECTED, STRINGS
from conceptloom.selection.postings import pack_ids
from conceptloom.splits import SPLIT_NAMES
from conceptloom.splits.concept_sets import concept_sets, offsets_of
from conceptloom.splits.overlap import shared_with
from conceptloom.splits.shared import shared_concepts, shared_pairs
from conceptloom.splits.train_sets import DEV_CONCEPTS, DEV_PAIR, TEST_CONCEPTS, TEST_PAIR, Held, Preprint, TrainPolicy
from conceptloom.statistics.examples import EXAMPLES
from conceptloom.statistics.tuples import TupleCounts, count_tuples, merge_tuples, tuple_statistics
from conceptloom.tables import by_bucket, from_ipc, one_array, read_ipc, read_table, to_ipc, write_file, write_table
from conceptloom.tasks.base import RECEIPTS, Output, receipt, shard_name
from conceptloom.tasks.mine import sizes_of
from conceptloom.tasks.sample import CANDIDATES, SETS, rejected_sets, set_ledger

NO_CAPTION = "only_held_out_captions"
STATISTICS = "statistics.json"

JUDGED = pa.schema([*CANDIDATES, pa.field("reason", pa.string()), pa.field("detail", pa.string())])
"""A candidate and why it is dropped; both texts are empty for one that stays."""

REFERENCES = pa.schema([("set", pa.uint64()), *((name, pa.string()) for name in ("id", "text", "source", "locator"))])
"""A sentence of a concept set."""

SETS_DATA = DATA.append(pa.field("split", pa.string()))
"""A row of the data set, with its split."""

INDEX = pa.schema(
    [
        ("id", pa.string()),
        ("concepts", STRINGS),
        *(CANDIDATES.field(name) for name in ("support", "words", "length", "degree", "score", "rank", "split")),
    ]
)
"""A candidate with what its score is made of; `split` is empty where it was dropped."""

_TRAIN, _DEV, _TEST = SPLIT_NAMES.values()


@dataclass(frozen=True)
class Judge:
    """Says which candidates train must do without. Memory: the candidates."""

    policy: TrainPolicy
    source: str
    outputs: ClassVar[tuple[str, ...]] = ("judged",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Rows of schema JUDGED, by id."""
        table = read_table(storage.join(self.source, SETS))
        yield Output("judged", 0, to_ipc(judged(table, self.policy)))


def judged(candidates: pa.Table, policy: TrainPolicy) -> pa.Table:
    """The candidates (schema CANDIDATES, in their order) with the policy's verdicts, schema JUDGED."""
    parts = {name: candidates.filter(pc.equal(candidates["split"], name)) for name in SPLIT_NAMES.values()}
    train, dev, test = (concept_sets(part["concepts"]) for part in parts.values())
    verdict = policy.judge(train, Held(dev, test))
    names = np.array([*verdict.dropped, ""], dtype=object)[verdict.reasons]
    details = np.full(len(names), "", dtype=object)
    for reason in verdict.dropped:
        rows = np.flatnonzero(names == reason)
        details[rows] = list(_details(reason, policy, parts[_TRAIN].take(pa.array(rows)), parts))
    own = pc.equal(candidates["split"], _TRAIN)
    columns = [
        pc.replace_with_mask(pa.array([""] * len(candidates)), one_array(own), pa.array(values, pa.string()))
        for values in (names, details)
    ]
    return pa.table([*candidates.columns, *columns], schema=JUDGED)


def _details(reason: str, policy: TrainPolicy, dropped: pa.Table, parts: dict[str, pa.Table]) -> Iterator[str]:
    held = parts[_TEST if reason in (TEST_PAIR, TEST_CONCEPTS) else _DEV]["concepts"]
    concepts = dropped["concepts"].to_pylist()
    if reason in (TEST_PAIR, DEV_PAIR):
        return shared_pairs(concepts, held.to_pylist())
    assert reason in (TEST_CONCEPTS, DEV_CONCEPTS) and isinstance(policy, Preprint)
    nearest = shared_with(concept_sets(dropped["concepts"]), concept_sets(held), policy.max_shared)
    return shared_concepts(concepts, held.take(pa.array(nearest)).to_pylist())


class Stages(NamedTuple):
    """Where the earlier stages left their shards."""

    sentences: str
    coded: str

    def references(self, bucket: int, chosen: pa.Table) -> pa.Table:
        """The sentences of one shard that hold all concepts of chosen sets (schema CANDIDATES), by (set, id)."""
        coded = read_table(storage.join(self.coded, shard_name("coded", bucket))).cast(CODED)
        sets = chosen.select(["set", "numbers"]).rename_columns(["set", "concepts"]).combine_chunks()
        found = supporters(coded.to_batches(), sets)
        sentences = read_table(
            storage.join(self.sentences, shard_name("sentences", bucket)), ["id", "text", "source", "locator"]
        )
        places = pc.index_in(one_array(found["id"]), value_set=pack_ids(sentences["id"]))
        return pa.table([found["set"], *sentences.take(places).columns], schema=REFERENCES)


def of_splits(judged_sets: pa.Table, *splits: str) -> pa.Table:
    """The candidates of some splits that were not dropped."""
    wanted = pc.is_in(judged_sets["split"], value_set=pa.array(splits))
    return judged_sets.filter(pc.and_(wanted, pc.equal(judged_sets["reason"], "")))


def firsts(references: pa.Table, most: int) -> pa.Table:
    """The first `most` sentences of each set, of rows in the order of (set, id)."""
    sets = references["set"].to_numpy()
    starts = np.flatnonzero(np.diff(sets, prepend=sets[:1] + np.uint64(1)))
    within = np.arange(len(sets)) - np.repeat(starts, np.diff(starts, append=len(sets)))
    return references.filter(pa.array(within < most))


@dataclass(frozen=True)
class FindHeld:
    """Finds sentences that may stand as references of dev and test. One that could for both is test's."""

    stages: Stages
    most: int
    outputs: ClassVar[tuple[str, ...]] = ("held",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Rows of schema REFERENCES; `side` has schema JUDGED."""
        sets = read_ipc(side or b"")
        test = self.stages.references(bucket, of_splits(sets, _TEST))
        dev = self.stages.references(bucket, of_splits(sets, _DEV))
        dev = dev.filter(pc.invert(pc.is_in(dev["id"], value_set=one_array(test["id"].unique()))))
        yield from (Output("held", 0, to_ipc(firsts(found, self.most))) for found in (test, dev))


@dataclass(frozen=True)
class MergeHeld:
    """Puts what the shards found for dev and test together."""

    most: int

    def __call__(self, blocks: list[bytes]) -> bytes:
        """The references of the held-out sets as bytes, schema REFERENCES, by (set, id)."""
        table = from_ipc(blocks, REFERENCES).sort_by([("set", "ascending"), ("id", "ascending")])
        return to_ipc(firsts(table.combine_chunks(), self.most))


class Known(NamedTuple):
    """What every shard is told: the candidates (JUDGED), and the references of dev and test (REFERENCES)."""

    sets: pa.Table
    held: pa.Table


_JUDGED_MARK, _HELD_MARK = b"j", b"h"


def mark_judged(block: tuple[int, bytes]) -> tuple[int, bytes]:
    """A block of candidates as `join_known` takes it."""
    return 0, _JUDGED_MARK + block[1]


def mark_held(data: bytes) -> tuple[int, bytes]:
    """The references of dev and test as `join_known` takes them."""
    return 0, _HELD_MARK + data


def join_known(blocks: list[bytes]) -> bytes:
    """Both marked blocks as one."""
    sets, held = (next(block[1:] for block in blocks if block[:1] == mark) for mark in (_JUDGED_MARK, _HELD_MARK))
    return len(sets).to_bytes(8, "little") + sets + held


@lru_cache(maxsize=1)
def known(data: bytes) -> Known:
    """The inverse of `join_known`; every shard of a process asks for the same."""
    size = int.from_bytes(data[:8], "little")
    return Known(read_ipc(data[8 : 8 + size]).combine_chunks(), read_ipc(data[8 + size :]).combine_chunks())


@dataclass(frozen=True)
class FindTrain:
    """Finds the sentences of train's sets in one shard, less those that stand as references of dev or test."""

    stages: Stages
    buckets: int
    outputs: ClassVar[tuple[str, ...]] = ("references",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Rows of schema REFERENCES to the buckets of their sets; `side` is what `join_known` answers."""
        sets, held = known(side or b"")
        found = self.stages.references(bucket, of_splits(sets, _TRAIN))
        found = found.filter(pc.invert(pc.is_in(found["id"], value_set=one_array(held["id"].unique()))))
        for number, data in by_bucket(found, bucket_of(found["set"].to_numpy(), self.buckets)):
            yield Output("references", number, data)


@dataclass(frozen=True)
class GatherSets:
    """Makes the rows of the data set for one bucket of concept sets."""

    buckets: int
    seed: int
    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("statistics", RECEIPTS)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Writes `sets` (schema SETS_DATA), `index` and `rejected`; answers the counts of each split."""
        sets, held = known(side or b"")
        own = sets.filter(pa.array(bucket_of(sets["set"].to_numpy(), self.buckets) == bucket))
        references = pa.concat_tables([from_ipc(blocks, REFERENCES), held])
        fate = _with_captions(own, references)
        rows = data_rows(fate.filter(pc.equal(fate["reason"], "")), references, self.seed)
        rejected = _dropped(fate.filter(pc.not_equal(fate["reason"], "")))
        yield from _statistics(rows)
        files = [self._write("sets", bucket, rows), self._write("rejected", bucket, rejected)]
        files[0]["splits"] = _split_sizes(rows)
        split = pc.if_else(pc.equal(fate["reason"], ""), fate["split"], "")
        index = fate.set_column(JUDGED.get_field_index("split"), "split", split).select(INDEX.names)
        files.append(self._write("index", bucket, index.cast(INDEX)))
        ledger = set_ledger(sizes_of(fate["concepts"]), rejected)
        for name, number in sizes_of(rows["concepts"]).items():
            ledger.of(name).kept += number
        yield receipt(bucket, ledger, files)

    def _write(self, kind: str, bucket: int, table: pa.Table) -> dict[str, Any]:
        return write_table(storage.join(self.directory, shard_name(kind, bucket)), table)


def _with_captions(sets: pa.Table, references: pa.Table) -> pa.Table:
    """The candidates (schema JUDGED), in which a train set without any sentence left is dropped too."""
    bare = pc.invert(pc.is_in(sets["set"], value_set=one_array(references["set"].unique())))
    lost = pc.and_(pc.and_(bare, pc.equal(sets["split"], _TRAIN)), pc.equal(sets["reason"], ""))
    reason = pc.if_else(lost, NO_CAPTION, sets["reason"])
    return sets.set_column(JUDGED.get_field_index("reason"), "reason", reason)


def _dropped(sets: pa.Table) -> pa.Table:
    rejected = rejected_sets(sets["set"].to_numpy(), one_array(sets["concepts"]), "split")
    for name in ("reason", "detail"):
        rejected = rejected.set_column(REJECTED.get_field_index(name), name, sets[name])
    return rejected.cast(REJECTED)


def data_rows(sets: pa.Table, references: pa.Table, seed: int) -> pa.Table:
    """The rows of some sets (schema JUDGED, by id) with their sentences (schema REFERENCES), schema SETS_DATA.

    The sentences stand in the order of their ids, which are hashes; the first is the target. A dev or test set without
    any has an empty target: its references are still to be written.
    """
    own = references.filter(pc.is_in(references["set"], value_set=one_array(sets["set"])))
    own = own.sort_by([("set", "ascending"), ("id", "ascending")]).combine_chunks()
    keys = sets["set"].to_numpy()
    starts, ends = (np.searchsorted(own["set"].to_numpy(), keys, side) for side in ("left", "right"))
    first = own.take(pa.array(np.where(ends > starts, starts, -1), mask=ends == starts, type=pa.int64()))
    texts = pa.ListArray.from_arrays(pa.array(offsets_of(ends - starts).astype(np.int32)), one_array(own["text"]))
    target, source, locator = (pc.fill_null(one_array(first[name]), "") for name in ("text", "source", "locator"))
    concepts = _shuffled(keys, one_array(sets["concepts"]), seed)
    return pa.table([sets["id"], concepts, target, texts, source, locator, sets["split"]], schema=SETS_DATA)


def _shuffled(sets: UInt64, concepts: pa.ListArray, seed: int) -> pa.ListArray:
    offsets = offsets_of(pc.list_value_length(concepts).to_numpy(zero_copy_only=False))
    values = concepts.flatten().take(pa.array(shuffled(sets, offsets, seed)))
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), values)


def _split_sizes(rows: pa.Table) -> dict[str, dict[str, int]]:
    groups = rows.group_by(["split", "source"]).aggregate([([], "count_all")]).to_pylist()
    result: dict[str, dict[str, int]] = {}
    for row in sorted(groups, key=lambda row: (row["split"], row["source"])):
        result.setdefault(row["split"], {})[row["source"]] = row["count_all"]
    return result


def _statistics(rows: pa.Table) -> Iterator[Output]:
    for split in SPLIT_NAMES.values():
        part = rows.filter(pc.equal(rows["split"], split)).combine_chunks()
        examples = pa.table([part["concepts"], part["references"], part["source"]], schema=EXAMPLES)
        yield Output("statistics", 0, encode_counts(split, count_tuples(examples)))


def encode_counts(split: str, counts: TupleCounts) -> bytes:
    """The counts of one split as bytes: a line of JSON, then the hashes of its tuples."""
    lengths = [len(hashes) for hashes in counts.tuples]
    head = {"split": split, "sizes": dict(counts.sizes), "sentences": counts.sentences, "words": counts.words}
    hashes = np.concatenate(counts.tuples).astype("<u8").tobytes()
    return json.dumps({**head, "tuples": lengths}).encode() + b"\n" + hashes


def decode_counts(data: bytes) -> tuple[str, TupleCounts]:
    """The inverse of `encode_counts`."""
    line, _, hashes = data.partition(b"\n")
    head = json.loads(line)
    values = np.frombuffer(hashes, dtype="<u8").astype(np.uint64)
    tuples = np.split(values, np.cumsum(head["tuples"])[:-1])
    sizes = {int(size): number for size, number in head["sizes"].items()}
    return head["split"], TupleCounts(sizes, head["sentences"], head["words"], tuple(tuples))


@dataclass(frozen=True)
class SummariseSets:
    """Puts the counts of all buckets together."""

    directory: str
    outputs: ClassVar[tuple[str, ...]] = (RECEIPTS,)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Writes STATISTICS: the paper's table of each split as JSON."""
        counts: dict[str, list[TupleCounts]] = {split: [] for split in SPLIT_NAMES.values()}
        for block in blocks:
            split, found = decode_counts(block)
            counts[split].append(found)
        merged = {split: merge_tuples(found) for split, found in counts.items()}
        table = {
            split: tuple_statistics(found, None if split == _TRAIN else merged[_TRAIN]).to_json()
            for split, found in merged.items()
        }
        data = json.dumps(table, indent=1).encode()
        yield receipt(bucket, Ledger(), [write_file(storage.join(self.directory, STATISTICS), data, 1)])
