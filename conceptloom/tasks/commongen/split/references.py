"""Stage split of concept sets: the sentences of the chosen sets, shard by shard."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.arrays.columns import one_array
from conceptloom.arrays.ids import pack_ids
from conceptloom.concepts import CODED, supporters
from conceptloom.hashing import bucket_of
from conceptloom.tables import by_bucket, from_ipc, read_ipc, to_ipc
from conceptloom.tasks.base import Output, shard_name
from conceptloom.tasks.commongen.split.judge import DEV, TEST, TRAIN, of_splits
from conceptloom.tasks.shards import read_shard

REFERENCES = pa.schema([("set", pa.uint64()), *((name, pa.string()) for name in ("id", "text", "source", "locator"))])
"""A sentence of a concept set."""


class Stages(NamedTuple):
    """The directories with the shards of earlier stages."""

    sentences: str
    coded: str

    def references(self, bucket: int, chosen: pa.Table) -> pa.Table:
        """Returns the sentences of one shard with all concepts of a chosen set (schema CANDIDATES), by (set, id)."""
        coded = read_shard(storage.join(self.coded, shard_name("coded", bucket))).cast(CODED)
        sets = chosen.select(["set", "numbers"]).rename_columns(["set", "concepts"]).combine_chunks()
        found = supporters(coded.to_batches(), sets)
        sentences = read_shard(
            storage.join(self.sentences, shard_name("sentences", bucket)), ["id", "text", "source", "locator"]
        )
        places = pc.index_in(one_array(found["id"]), value_set=pack_ids(sentences["id"]))
        return pa.table([found["set"], *sentences.take(places).columns], schema=REFERENCES)


def firsts(references: pa.Table, most: int) -> pa.Table:
    """Returns the first `most` sentences of each set; the rows are ordered by (set, id)."""
    sets = references["set"].to_numpy()
    starts = np.flatnonzero(np.diff(sets, prepend=sets[:1] + np.uint64(1)))
    within = np.arange(len(sets)) - np.repeat(starts, np.diff(starts, append=len(sets)))
    return references.filter(pa.array(within < most))


@dataclass(frozen=True)
class FindHeld:
    """Finds sentences that can be references of dev and test; one that fits both goes to test."""

    stages: Stages
    most: int
    outputs: ClassVar[tuple[str, ...]] = ("held",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields rows of schema REFERENCES; `side` has schema JUDGED."""
        sets = read_ipc(side or b"")
        test = self.stages.references(bucket, of_splits(sets, TEST))
        dev = self.stages.references(bucket, of_splits(sets, DEV))
        dev = dev.filter(pc.invert(pc.is_in(dev["id"], value_set=one_array(test["id"].unique()))))
        yield from (Output("held", 0, to_ipc(firsts(found, self.most))) for found in (test, dev))


@dataclass(frozen=True)
class MergeHeld:
    """Merges what the shards found for dev and test."""

    most: int

    def __call__(self, blocks: list[bytes]) -> bytes:
        """Returns the references of the held-out sets as bytes, schema REFERENCES, by (set, id)."""
        table = from_ipc(blocks, REFERENCES).sort_by([("set", "ascending"), ("id", "ascending")])
        return to_ipc(firsts(table.combine_chunks(), self.most))


class Known(NamedTuple):
    """The side input of every shard: the candidates (JUDGED), and the references of dev and test (REFERENCES)."""

    sets: pa.Table
    held: pa.Table


_JUDGED_MARK, _HELD_MARK = b"j", b"h"


def mark_judged(block: tuple[int, bytes]) -> tuple[int, bytes]:
    """Returns a block of candidates as `join_known` takes it."""
    return 0, _JUDGED_MARK + block[1]


def mark_held(data: bytes) -> tuple[int, bytes]:
    """Returns the references of dev and test as `join_known` takes them."""
    return 0, _HELD_MARK + data


def join_known(blocks: list[bytes]) -> bytes:
    """Joins both marked blocks into one."""
    sets, held = (next(block[1:] for block in blocks if block[:1] == mark) for mark in (_JUDGED_MARK, _HELD_MARK))
    return len(sets).to_bytes(8, "little") + sets + held


@lru_cache(maxsize=1)
def known(data: bytes) -> Known:
    """The inverse of `join_known`; cached, since every shard of a process needs the same."""
    size = int.from_bytes(data[:8], "little")
    return Known(read_ipc(data[8 : 8 + size]).combine_chunks(), read_ipc(data[8 + size :]).combine_chunks())


def without_copies(references: pa.Table, held: pa.ChunkedArray) -> pa.Table:
    """Returns the references (schema REFERENCES) that equal no text in `held`, ignoring case, spaces and punctuation.

    Corpora copy each other's captions and respell them; each spelling is a sentence of its own.
    """
    texts = one_array(references["text"].unique())
    copies = texts.filter(pc.is_in(_letters(texts), value_set=_letters(one_array(held))))
    return references.filter(pc.invert(pc.is_in(references["text"], value_set=copies)))


def _letters(texts: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(pc.utf8_lower(texts), r"[^\p{L}\p{N}]+", "")


@dataclass(frozen=True)
class FindTrain:
    """Finds the sentences of train's sets in one shard, without those that are references of dev or test."""

    stages: Stages
    buckets: int
    outputs: ClassVar[tuple[str, ...]] = ("references",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields rows of schema REFERENCES to the buckets of their sets; `side` is the result of `join_known`."""
        sets, held = known(side or b"")
        found = without_copies(self.stages.references(bucket, of_splits(sets, TRAIN)), held["text"])
        for number, data in by_bucket(found, bucket_of(found["set"].to_numpy(), self.buckets)):
            yield Output("references", number, data)
