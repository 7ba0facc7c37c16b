"""Stage split of concept sets: the sentences of chosen sets, shard by shard, and those of dev and test."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.arrays.columns import one_array
from conceptloom.arrays.ids import pack_ids
from conceptloom.arrays.runs import positions, run_starts
from conceptloom.arrays.types import Int64
from conceptloom.concepts import from_stored, supporters
from conceptloom.tables import from_ipc, read_ipc, to_ipc
from conceptloom.tasks.base import Output, shard_name
from conceptloom.tasks.commongen.split.judge import DEV, TEST, of_splits
from conceptloom.tasks.merging import above
from conceptloom.tasks.shards import read_shard

REFERENCES = pa.schema([("set", pa.uint64()), *((name, pa.string()) for name in ("id", "text", "source", "locator"))])
"""A sentence of a concept set."""

HELD = REFERENCES.append(pa.field("split", pa.string()))
"""A sentence that a set of dev or test can have."""


class Stages(NamedTuple):
    """The directories with the shards of earlier stages."""

    sentences: str
    coded: str

    def references(self, bucket: int, chosen: pa.Table) -> pa.Table:
        """Returns the sentences of one shard that support a chosen set (schema CANDIDATES), by (set, id)."""
        coded = from_stored(read_shard(storage.join(self.coded, shard_name("coded", bucket))))
        sets = chosen.select(["set", "numbers"]).rename_columns(["set", "concepts"]).combine_chunks()
        found = supporters(coded.to_batches(), sets)
        sentences = read_shard(
            storage.join(self.sentences, shard_name("sentences", bucket)), ["id", "text", "source", "locator"]
        )
        places = pc.index_in(one_array(found["id"]), value_set=pack_ids(sentences["id"]))
        return pa.table([found["set"], *sentences.take(places).columns], schema=REFERENCES)


def places(references: pa.Table) -> Int64:
    """Returns the place of each sentence among those of its set, from 0, shape (rows,); rows are by (set, id)."""
    starts = run_starts(references["set"].to_numpy())
    return positions(np.diff(starts, append=len(references)))


def firsts(references: pa.Table, most: int) -> pa.Table:
    """Returns the first `most` sentences of each set; the rows are ordered by (set, id)."""
    return references.filter(pa.array(places(references) < most))


@dataclass(frozen=True)
class FindHeld:
    """Finds sentences that can be references of dev and test, at most `most` for each set.

    With `test_first`, dev has none that any set of test could have.
    """

    stages: Stages
    most: int
    test_first: bool
    outputs: ClassVar[tuple[str, ...]] = ("held",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields rows of schema HELD; `side` has schema JUDGED."""
        sets = read_ipc(side or b"")
        every = self.stages.references(bucket, of_splits(sets, TEST, DEV))
        test, dev = (_of_sets(every, of_splits(sets, split)) for split in (TEST, DEV))
        if self.test_first:
            dev = dev.filter(pc.invert(pc.is_in(dev["id"], value_set=one_array(test["id"].unique()))))
        for split, found in ((TEST, firsts(test, self.most)), (DEV, firsts(dev, self.most))):
            held = found.append_column(HELD.field("split"), pa.repeat(split, len(found)))
            yield Output("held", above(bucket), to_ipc(held))


def _of_sets(references: pa.Table, sets: pa.Table) -> pa.Table:
    return references.filter(pc.is_in(references["set"], value_set=one_array(sets["set"])))


@dataclass(frozen=True)
class MergeHeld:
    """Merges what some shards found for dev and test: a level of the tree from the shards to `Allot`."""

    most: int
    outputs: ClassVar[tuple[str, ...]] = ("held",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields rows of schema HELD: at most `most` of each set, however many shards there are."""
        yield Output("held", above(bucket), to_ipc(first_held(blocks, self.most)))


def first_held(blocks: Iterable[bytes], most: int) -> pa.Table:
    """Returns the first `most` sentences of each set in blocks of schema HELD, by (set, id)."""
    table = from_ipc(blocks, HELD).sort_by([("set", "ascending"), ("id", "ascending")])
    return firsts(table.combine_chunks(), most)


def without_copies(references: pa.Table, held: pa.ChunkedArray) -> pa.Table:
    """Returns the references (schema REFERENCES) that equal no text in `held`, ignoring case, spaces and punctuation.

    Corpora copy each other's captions and respell them; each spelling is a sentence of its own.
    """
    texts = one_array(references["text"].unique())
    copies = texts.filter(pc.is_in(_letters(texts), value_set=_letters(one_array(held))))
    return references.filter(pc.invert(pc.is_in(references["text"], value_set=copies)))


def _letters(texts: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(pc.utf8_lower(texts), r"[^\p{L}\p{N}]+", "")
