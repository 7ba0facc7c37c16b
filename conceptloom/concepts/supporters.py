"""The sentences of chosen concept sets: the captions that become train's references.

Distributed: sentences are routed as for mining; `supporters` of each shard of leads with the chosen sets.
"""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from conceptloom.arrays.concept_sets import found_in
from conceptloom.arrays.lists import Lists
from conceptloom.arrays.runs import gather, positions
from conceptloom.arrays.types import Int32, Int64, UInt64
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
    """(set, row) for each row that holds all concepts of a set: those that hold its first, less those that lack one."""
    span = max(int(concepts.values.max(initial=0)), int(sets.values.max(initial=0))) + 1
    parents = np.repeat(np.arange(len(concepts.sizes)), concepts.sizes)
    held = np.sort(parents * span + concepts.values).astype(np.uint64)
    # Two concepts of a set stand together in few sentences, and its lead alone in many.
    width = min(2, int(sets.sizes.min(initial=2)))
    places, rows = _joined(_starts(concepts, parents, width, span), sets, width, span)
    for position in range(width, int(sets.sizes.max(initial=0))):
        inside = sets.sizes[places] > position
        wanted = sets.values[np.where(inside, sets.offsets[places] + position, 0)]
        keep = ~inside | found_in(held, (rows * span + wanted).astype(np.uint64))
        places, rows = places[keep], rows[keep]
    return places, rows


def _starts(concepts: Lists, parents: Int64, width: int, span: int) -> tuple[UInt64, Int64]:
    """(key, row) of each `width` concepts of a row, in its order: what a set that the row holds may start with."""
    if width == 1:
        return concepts.values.astype(np.uint64), parents
    later = concepts.offsets[parents + 1] - np.arange(len(parents)) - 1
    seconds = concepts.values[gather(np.arange(1, len(parents) + 1), later)]
    keys = np.repeat(concepts.values.astype(np.int64) * span, later) + seconds
    return keys.astype(np.uint64), np.repeat(parents, later)


def _joined(starts: tuple[UInt64, Int64], sets: Lists, width: int, span: int) -> tuple[Int64, Int64]:
    """(set, row) for each set that begins with the concepts of a start."""
    own = np.zeros(len(sets.sizes), dtype=np.int64)
    for position in range(width):
        own = own * span + sets.values[sets.offsets[:-1] + position]
    order = np.argsort(own, kind="stable")
    ordered, (keys, rows) = own[order].astype(np.uint64), starts
    found = found_in(ordered, keys)
    keys, rows = keys[found], rows[found]
    firsts, ends = (np.searchsorted(ordered, keys, side) for side in ("left", "right"))
    return order[gather(firsts, ends - firsts)], np.repeat(rows, ends - firsts)


def _matrix(sets: Lists) -> Int32:
    """The sets as rows, padded with -1."""
    sizes = sets.sizes
    result = np.full((len(sizes), int(sizes.max(initial=0))), -1, dtype=np.int32)
    result[np.repeat(np.arange(len(sizes)), sizes), positions(sizes)] = sets.values
    return result
