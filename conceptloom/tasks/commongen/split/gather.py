"""Stage split of concept sets: the rows of the data set, each set with its sentences (CommonGen, section 3.5)."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.arrays.columns import one_array
from conceptloom.arrays.lists import offsets_of
from conceptloom.arrays.types import UInt64
from conceptloom.corpus.analysis import shuffled
from conceptloom.corpus.clashes import SEPARATOR
from conceptloom.hashing import bucket_of
from conceptloom.json_values import JsonObject
from conceptloom.ledger import Ledger
from conceptloom.schemas import DATA, STRINGS
from conceptloom.splits import SPLIT_NAMES
from conceptloom.statistics.examples import EXAMPLES
from conceptloom.statistics.tuples import TupleCounts, count_tuples, merge_tuples, tuple_statistics
from conceptloom.tables import from_ipc, write_file, write_table
from conceptloom.tasks.base import RECEIPTS, STATISTICS, Output, receipt, shard_name
from conceptloom.tasks.commongen.mine import sizes_of
from conceptloom.tasks.commongen.sample import CANDIDATES, rejected_sets, set_ledger
from conceptloom.tasks.commongen.split.judge import JUDGED, TRAIN
from conceptloom.tasks.commongen.split.known import known
from conceptloom.tasks.commongen.split.references import REFERENCES

NO_CAPTION = "only_held_out_captions"

SETS_DATA = DATA.append(pa.field("split", pa.string()))
"""A row of the data set, with its split."""

INDEX = pa.schema(
    [
        ("id", pa.string()),
        ("concepts", STRINGS),
        *(CANDIDATES.field(name) for name in ("support", "words", "length", "degree", "score", "rank", "split")),
    ]
)
"""A candidate with the parts of its score; `split` is empty if it was dropped."""


@dataclass(frozen=True)
class GatherSets:
    """Makes the rows of the data set for one bucket of concept sets."""

    buckets: int
    seed: int
    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("statistics", RECEIPTS)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Writes `sets` (schema SETS_DATA), `index` and `rejected`; yields the counts of each split and the receipt.

        `side` is as for `known`.
        """
        sets, held, _ = known(side or b"")
        own = sets.filter(pa.array(bucket_of(sets["set"].to_numpy(), self.buckets) == bucket))
        references = pa.concat_tables([from_ipc(blocks, REFERENCES), held])
        fate = _with_captions(own, references)
        rows = data_rows(fate.filter(pc.equal(fate["reason"], "")), references, self.seed)
        rejected = _dropped(fate.filter(pc.not_equal(fate["reason"], "")))
        yield from statistics_of(rows)
        files = [self._write("sets", bucket, rows), self._write("rejected", bucket, rejected)]
        files[0]["splits"] = _split_sizes(rows)
        split = pc.if_else(pc.equal(fate["reason"], ""), fate["split"], "")
        index = fate.set_column(JUDGED.get_field_index("split"), "split", split).select(INDEX.names)
        files.append(self._write("index", bucket, index.cast(INDEX)))
        yield receipt(bucket, set_ledger(sizes_of(fate["concepts"]), rejected, sizes_of(rows["concepts"])), files)

    def _write(self, kind: str, bucket: int, table: pa.Table) -> JsonObject:
        return write_table(storage.join(self.directory, shard_name(kind, bucket)), table)


def _with_captions(sets: pa.Table, references: pa.Table) -> pa.Table:
    """Returns the candidates (schema JUDGED), where train sets without any remaining sentence are dropped too."""
    bare = pc.invert(pc.is_in(sets["set"], value_set=one_array(references["set"].unique())))
    lost = pc.and_(pc.and_(bare, pc.equal(sets["split"], TRAIN)), pc.equal(sets["reason"], ""))
    reason = pc.if_else(lost, NO_CAPTION, sets["reason"])
    return sets.set_column(JUDGED.get_field_index("reason"), "reason", reason)


def _dropped(sets: pa.Table) -> pa.Table:
    keys, sizes = sets["set"].to_numpy(), pc.list_value_length(sets["concepts"])
    texts = pc.binary_join(sets["concepts"], SEPARATOR)
    return rejected_sets(keys, sizes, texts, "split", sets["reason"], sets["detail"])


def data_rows(sets: pa.Table, references: pa.Table, seed: int) -> pa.Table:
    """Returns the rows of some sets (schema JUDGED, by id) with their sentences (schema REFERENCES), schema SETS_DATA.

    The sentences are in the order of their ids, which are hashes; the first is the target. A dev or test set without
    any has an empty target, until its references are written.
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


def statistics_of(rows: pa.Table) -> Iterator[Output]:
    """Yields the counts of each split of some rows (schema SETS_DATA), for SummariseSets."""
    for split in SPLIT_NAMES.values():
        part = rows.filter(pc.equal(rows["split"], split)).combine_chunks()
        examples = pa.table([part["concepts"], part["references"], part["source"]], schema=EXAMPLES)
        yield Output("statistics", 0, encode_counts(split, count_tuples(examples)))


def encode_counts(split: str, counts: TupleCounts) -> bytes:
    """Returns the counts of one split as bytes: a line of JSON, then the hashes of its tuples."""
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
    """Merges the counts of all buckets."""

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
            split: tuple_statistics(found, None if split == TRAIN else merged[TRAIN]).to_json()
            for split, found in merged.items()
        }
        data = json.dumps(table, indent=1).encode()
        yield receipt(bucket, Ledger(), [write_file(storage.join(self.directory, STATISTICS), data, 1)])
