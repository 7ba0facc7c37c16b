"""Concept sets with the exact counts that their score needs, one shard of leads at a time (CommonGen, section 3.1).

Distributed: `conceptloom.concepts.routing.route` of each shard of sentences; `mine` of each shard of leads;
`count_degrees` of the sets found, `merge_degrees` of all shards; then `conceptloom.concepts.scoring.score`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import comb

import numpy as np
import pyarrow as pa

from conceptloom.arrays.lists import Lists, offsets_of
from conceptloom.arrays.runs import gather
from conceptloom.arrays.types import Int64
from conceptloom.concepts.clashes import Clashes
from conceptloom.concepts.coded_sentences import INTEGERS, Coded, coded_arrays
from conceptloom.concepts.distinct_words import union_sizes
from conceptloom.concepts.enumeration import Level, levels
from conceptloom.concepts.routing import possible_leads, shard_of
from conceptloom.corpus.clashes import LARGEST
from conceptloom.errors import ConfigError

MINED = pa.schema(
    [
        ("concepts", INTEGERS),
        ("support", pa.int32()),
        ("words", pa.int32()),
        ("length", pa.int64()),
        ("chance", pa.int64()),
    ]
)
"""A concept set (numbers, ascending), and of the unique sentences S(x) that support it: their number, the number of
distinct words they have together, the sum of their lengths in words, and the sum of the chances that somebody who takes
so many of a sentence's concepts takes these, in units of 1 / CERTAIN. A sentence supports a set if it holds all its
concepts and none of its own clashes (see `conceptloom.corpus.clashes`)."""

CERTAIN = 1 << 32
"""Chances are integers, since the sum of these does not depend on the order of the sentences."""

INSTANCES = 1 << 20
"""Sets in sentences that are held at once, about 100 bytes each; the sets of one lead concept are never separated."""


@dataclass(frozen=True)
class MiningRules:
    """Which concept sets are mined. The defaults are CommonGen's."""

    sizes: tuple[int, ...] = (3, 4, 5)
    min_support: int = 1
    """Sets of fewer sentences are omitted. With 2, the omitted sets hold two thirds of the score mass."""
    max_concepts: int = 16
    """A sentence of more concepts keeps this number of them, the rarest."""
    distinct_words: bool = True
    """A sentence supports a set only if distinct words of it supply the concepts: its clashes are coded."""
    stop_concepts: tuple[str, ...] = ()
    """Concepts that no set has, as if no sentence held them."""

    def __post_init__(self) -> None:
        whole = all(isinstance(size, int) and size > 0 for size in self.sizes)
        if not self.sizes or not whole or sorted(set(self.sizes)) != list(self.sizes):
            raise ConfigError(f"mine.sizes must be ascending numbers of concepts from 1 up, not {self.sizes!r}")
        if self.min_support < 1:
            raise ConfigError(f"mine.min_support must be at least 1, not {self.min_support}")
        if self.max_concepts < max(self.sizes):
            raise ConfigError(f"mine.max_concepts must be at least the largest of mine.sizes, not {self.max_concepts}")
        if self.distinct_words and max(self.sizes) > LARGEST:
            raise ConfigError(f"mine.distinct_words is exact for mine.sizes up to {LARGEST}, not {max(self.sizes)}")


def mine(
    blocks: Iterable[pa.RecordBatch], rules: MiningRules, shard: int = 0, shards: int = 1, instances: int = INSTANCES
) -> Iterator[pa.RecordBatch]:
    """Yields the concept sets whose lead belongs to one shard, with schema MINED; a batch for each size and some leads.

    `blocks` are all sentences (schema CODED) routed to the shard, in any order, each once; further ones do no harm.
    The leads ascend over the batches, and the sets within each batch. Memory: the shard, and `instances`.
    """
    sentences, _ = coded_arrays(blocks)
    rows, places = possible_leads(sentences.concepts, min(rules.sizes))
    own = shard_of(sentences.concepts.values[places], shards) == shard
    rows, places = rows[own], places[own]
    clashes = sentences.clashes.by_last(sentences.concepts)
    for part in _parts(sentences.concepts, rows, places, rules.sizes, instances):
        yield from _mine_part(sentences, clashes, rows[part], places[part], rules)


def _parts(concepts: Lists, rows: Int64, places: Int64, sizes: tuple[int, ...], instances: int) -> Iterator[Int64]:
    """The leads in parts of about `instances` sets in sentences, in their order; a concept's leads stay in one part."""
    tails = concepts.offsets[rows + 1] - places - 1
    costs = np.array([sum(comb(tail, size - 1) for size in sizes) for tail in range(int(tails.max(initial=0)) + 1)])
    leads = concepts.values[places]
    load = np.bincount(leads, weights=costs[tails]).astype(np.int64)
    numbers = (np.cumsum(load) // instances)[leads]
    order = np.argsort(numbers, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1) if len(order) else ()


def _mine_part(
    sentences: Coded, clashes: Clashes, rows: Int64, places: Int64, rules: MiningRules
) -> Iterator[pa.RecordBatch]:
    found = [
        level
        for level in levels(sentences.concepts, rows, places, rules.sizes, rules.min_support, clashes)
        if level.concepts.shape[1] in rules.sizes
    ]
    unions = _unions(found, sentences.words)
    for level, words in zip(found, unions):
        if len(level.concepts):
            chances = _chances(sentences.concepts.sizes, level.concepts.shape[1])
            sums = (np.add.reduceat(each[level.rows], level.starts) for each in (sentences.length, chances))
            yield _mined(level, words, *sums)


def _chances(concepts: Int64, size: int) -> Int64:
    """One of as many as a sentence has sets of that size, given its number of concepts; shape (sentences,)."""
    sets = [max(1, comb(number, size)) for number in range(int(concepts.max(initial=0)) + 1)]
    # At least one, of however many: a set without a chance could not be drawn at all.
    return np.array([max(1, round(CERTAIN / number)) for number in sets], dtype=np.int64)[concepts]


def _unions(found: list[Level], words: Lists) -> list[Int64]:
    """The number of distinct words of each set of each level, all sizes together: many sets have the same S(x)."""
    sizes = np.concatenate([level.supports for level in found])
    rows = np.concatenate([level.rows for level in found])
    starts = np.cumsum(sizes) - sizes
    result = words.sizes[rows[starts]]
    several = np.flatnonzero(sizes > 1)
    members = rows[gather(starts[several], sizes[several])]
    result[several] = union_sizes(Lists(members, offsets_of(sizes[several])), words)
    return np.split(result, np.cumsum([len(level.starts) for level in found])[:-1])


def _mined(level: Level, words: Int64, length: Int64, chance: Int64) -> pa.RecordBatch:
    count, size = level.concepts.shape
    concepts = Lists(level.concepts.ravel(), np.arange(count + 1) * size).to_arrow()
    numbers = (level.supports.astype(np.int32), words.astype(np.int32), length, chance)
    return pa.record_batch([concepts, *map(pa.array, numbers)], schema=MINED)
