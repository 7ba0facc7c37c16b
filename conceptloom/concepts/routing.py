"""Which shards mine a sentence: those of its possible lead concepts.

The lead of a concept set is its rarest concept. Each set has one lead, so each set is mined in one shard, with all
sentences that hold it; and a frequent concept leads few sets, so no shard grows with the most frequent one.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from conceptloom.arrays.concept_sets import Int64
from conceptloom.concepts.lexicon import Int32, Lists
from conceptloom.hashing import bucket_of, splitmix64
from conceptloom.tables import Block, by_bucket


def shard_of(leads: Int32, shards: int) -> Int32:
    """The shard that mines the sets of each lead concept, shape kept."""
    return bucket_of(splitmix64(leads), shards)


def possible_leads(concepts: Lists, smallest: int) -> tuple[Int64, Int64]:
    """(row, place in `concepts.values`) of each concept that leads a set of at least `smallest` in its sentence."""
    counts = np.maximum(concepts.sizes - smallest + 1, 0)
    rows = np.repeat(np.arange(len(counts)), counts)
    places = np.arange(len(rows)) + np.repeat(concepts.offsets[:-1] - np.cumsum(counts) + counts, counts)
    return rows, places


def route(sentences: pa.Table, smallest: int, shards: int) -> Iterator[Block]:
    """A copy of each sentence (schema CODED) for every shard that has one of its possible leads; one block a shard.

    Sentences of fewer than `smallest` concepts go nowhere.
    """
    concepts = Lists.from_arrow(sentences["concepts"])
    rows, places = possible_leads(concepts, smallest)
    keys = np.unique(rows * shards + shard_of(concepts.values[places], shards))
    yield from by_bucket(sentences.take(pa.array(keys // shards)), (keys % shards).astype(np.int32))
