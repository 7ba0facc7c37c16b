"""Which shards mine a sentence: those of its possible lead concepts.

The lead of a concept set is its rarest concept. Each set has one lead, so each set is mined in one shard, with all
sentences that hold it; and a frequent concept leads few sets, so no shard grows with the most frequent concept.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from conceptloom.arrays.lists import Lists
from conceptloom.arrays.runs import distinct, gather
from conceptloom.arrays.types import Int32, Int64
from conceptloom.hashing import bucket_of, splitmix64
from conceptloom.tables import Block, by_bucket


def shard_of(leads: Int32, shards: int) -> Int32:
    """Returns the shard that mines the sets of each lead concept, shape kept."""
    return bucket_of(splitmix64(leads), shards)


def possible_leads(concepts: Lists, smallest: int) -> tuple[Int64, Int64]:
    """Returns (row, place in `concepts.values`) of each concept that leads a set of at least `smallest` concepts."""
    counts = np.maximum(concepts.sizes - smallest + 1, 0)
    return np.repeat(np.arange(len(counts)), counts), gather(concepts.offsets[:-1], counts)


def route(sentences: pa.Table, smallest: int, shards: int) -> Iterator[Block]:
    """Yields one block a shard, with the sentences (schema CODED) that have a possible lead of that shard.

    Sentences of fewer than `smallest` concepts are in no block.
    """
    concepts = Lists.from_arrow(sentences["concepts"])
    rows, places = possible_leads(concepts, smallest)
    keys = distinct(rows * shards + shard_of(concepts.values[places], shards))
    yield from by_bucket(sentences.take(pa.array(keys // shards)), (keys % shards).astype(np.int32))
