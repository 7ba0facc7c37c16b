"""The cap on the sentences of a set of train: which of them it keeps.

It keeps those with the smallest ids. Ids are hashes, so these are a sample that depends on nothing but the sentences,
and the target, the first of them, is the same with a cap and without. A shard of sentences is a range of ids: a set's
first sentences are those of its first shards, up to the shard in which it is full.

Distributed: `count_sentences` of the sets that can have too many, in each shard; `cuts_of` all counts of a set; then
each shard leaves out its own sentences, so that what a set is not to have is never sent.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.columns import one_array
from conceptloom.arrays.runs import run_starts
from conceptloom.arrays.types import Bool
from conceptloom.tasks.commongen.split.references import places

COUNTS = pa.schema([("set", pa.uint64()), ("shard", pa.int32()), ("sentences", pa.int64())])
"""How many sentences of a set one shard has."""

CUTS = pa.schema([("set", pa.uint64()), ("shard", pa.int32()), ("room", pa.int64())])
"""A set with too many sentences: it keeps all of the shards before `shard`, `room` of this one, none of the others."""


def count_sentences(references: pa.Table, shard: int) -> pa.Table:
    """Returns how many sentences each set has among those of a shard (schema REFERENCES), schema COUNTS."""
    counts = references.group_by("set").aggregate([([], "count_all")])
    shards = pa.repeat(pa.scalar(shard, pa.int32()), len(counts))
    return pa.table([counts["set"], shards, counts["count_all"]], schema=COUNTS)


def cuts_of(counts: pa.Table, most: int) -> pa.Table:
    """Returns where to cut the sets with more than `most` sentences, given all their counts (COUNTS); schema CUTS."""
    ordered = counts.sort_by([("set", "ascending"), ("shard", "ascending")]).combine_chunks()
    sets, sentences = (ordered[name].to_numpy() for name in ("set", "sentences"))
    starts, ends = run_starts(sets), np.cumsum(sentences)
    before = np.repeat(ends[starts] - sentences[starts], np.diff(starts, append=len(sets)))
    through = ends - before
    rows = np.flatnonzero((through > most) & (through - sentences <= most))
    room = most - (through - sentences)[rows]
    return pa.table([sets[rows], ordered["shard"].take(pa.array(rows)), room], schema=CUTS)


def within(references: pa.Table, cuts: pa.Table, shard: int) -> Bool:
    """Returns which sentences of a shard (schema REFERENCES, by (set, id)) their sets keep, shape (rows,)."""
    if not len(cuts):
        return np.ones(len(references), dtype=np.bool_)
    found = pc.index_in(references["set"], value_set=one_array(cuts["set"]))
    full_in, room = (cuts[name].take(pc.fill_null(found, 0)).to_numpy() for name in ("shard", "room"))
    free = found.is_null().to_numpy() | (shard < full_in)
    return np.asarray(free | ((shard == full_in) & (places(references) < room)))
