"""The sentences of chosen concept sets: the captions that become train's references.

Distributed: sentences are routed as for mining; `supporters` of each shard of leads with the chosen sets.
"""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from conceptloom.arrays.lists import Lists
from conceptloom.arrays.runs import gather, positions
from conceptloom.arrays.types import Int32, Int64
from conceptloom.concepts.clashes import is_in
from conceptloom.concepts.coded_sentences import coded_arrays
from conceptloom.concepts.routing import shard_of
from conceptloom.hashing import ID_BYTES

SUPPORTERS = pa.schema([("set", pa.uint64()), ("id", pa.binary(ID_BYTES))])
"""A concept set and a sentence (packed id) that supports it, as in MINED."""


def supporters(blocks: Iterable[pa.RecordBatch], chosen: pa.Table, shard: int = 0, shards: int = 1) -> pa.Table:
    """Returns all sentences of the chosen sets whose lead belongs to the shard, schema SUPPORTERS, by (set, id).

    `blocks` are the sentences (schema CODED) routed to the shard; of `chosen`, the columns `set` and `concepts` of
    schema SCORED are read. Memory: the shard, and a few numbers for each sentence that holds a chosen set's lead.
    """
    sentences, ids = coded_arrays(blocks)
    sets = Lists.from_arrow(chosen["concepts"])
    own = np.flatnonzero(shard_of(sets.values[sets.offsets[:-1]], shards) == shard)
    sets = sets.take(own)
    places, rows = _holders(sentences.concepts, sets)
    supported = ~sentences.clashes.held(rows, places, _matrix(sets))
    places, rows = places[supported], rows[supported]
    columns = [chosen["set"].take(pa.array(own[places])), ids.take(pa.array(rows))]
    return pa.table(columns, schema=SUPPORTERS).sort_by([("set", "ascending"), ("id", "ascending")])


def _holders(concepts: Lists, sets: Lists) -> tuple[Int64, Int64]:
    """(set, row) for each row that holds all concepts of a set: those with its lead, less those that lack another."""
    span = max(int(concepts.values.max(initial=0)), int(sets.values.max(initial=0))) + 1
    parents = np.repeat(np.arange(len(concepts.sizes)), concepts.sizes)
    held = np.sort(parents * span + concepts.values)
    order = np.argsort(concepts.values, kind="stable")
    leads = sets.values[sets.offsets[:-1]]
    starts, ends = (np.searchsorted(concepts.values[order], leads, side) for side in ("left", "right"))
    places, rows = np.repeat(np.arange(len(leads)), ends - starts), parents[order[gather(starts, ends - starts)]]
    for position in range(1, int(sets.sizes.max(initial=0))):
        inside = sets.sizes[places] > position
        wanted = sets.values[np.where(inside, sets.offsets[places] + position, 0)]
        keep = ~inside | is_in(rows * span + wanted, held)
        places, rows = places[keep], rows[keep]
    return places, rows


def _matrix(sets: Lists) -> Int32:
    """The sets as rows, padded with -1."""
    sizes = sets.sizes
    result = np.full((len(sizes), int(sizes.max(initial=0))), -1, dtype=np.int32)
    result[np.repeat(np.arange(len(sizes)), sizes), positions(sizes)] = sets.values
    return result
