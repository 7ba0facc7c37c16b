"""The counts of one split, summed over blocks: sets, sizes, concepts, sentences, lengths, sources."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.concept_sets import ConceptSets, concept_sets
from conceptloom.arrays.runs import distinct
from conceptloom.arrays.types import Int64, UInt64

SIZE_BINS = ("<=3", "4", "5", "6", ">=7")
"""The set sizes that table 1 distinguishes. Its first row is called 'less than 3', but includes sets of three."""

_SMALLEST_BIN, _LARGEST_BIN = 3, 7


@dataclass(frozen=True)
class Counts:
    """The counts of some examples. Memory: 8 bytes for each distinct concept."""

    sets: int = 0
    sizes: tuple[int, ...] = (0,) * len(SIZE_BINS)
    sentences: int = 0
    characters: int = 0
    sources: Mapping[str, int] = field(default_factory=dict)
    concepts: UInt64 = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    """The hashes of the distinct concepts, sorted."""

    def merge(self, other: "Counts") -> "Counts":
        """Returns the counts of both, as if counted at once; associative and commutative."""
        return Counts(
            sets=self.sets + other.sets,
            sizes=tuple(mine + theirs for mine, theirs in zip(self.sizes, other.sizes)),
            sentences=self.sentences + other.sentences,
            characters=self.characters + other.characters,
            sources=dict(sorted((Counter(self.sources) + Counter(other.sources)).items())),
            concepts=distinct(np.concatenate((self.concepts, other.concepts))),
        )


def count_block(examples: pa.Table, sets: ConceptSets | None = None) -> Counts:
    """Returns the counts of a block of schema EXAMPLES, whose `concept_sets` may be given. Memory: the block.

    A sentence's length is the number of its characters as stored, blanks included: this gives the published averages
    (Korean CommonGen, table 1: 23.54 on test).
    """
    sets = concept_sets(examples["concepts"]) if sets is None else sets
    texts = pc.list_flatten(examples["sentences"])
    return Counts(
        sets=len(examples),
        sizes=size_bins(sets.sizes),
        sentences=len(texts),
        characters=pc.sum(pc.utf8_length(texts), min_count=0).as_py(),
        sources=_source_counts(examples["source"]),
        concepts=distinct(sets.values),
    )


def size_bins(sizes: Int64) -> tuple[int, ...]:
    """Returns how many of the sizes fall into each of SIZE_BINS.

    >>> size_bins(np.array([1, 3, 4, 9]))
    (2, 1, 0, 0, 1)
    """
    bins = np.clip(sizes, _SMALLEST_BIN, _LARGEST_BIN) - _SMALLEST_BIN
    return tuple(np.bincount(bins, minlength=len(SIZE_BINS)).tolist())


def _source_counts(sources: pa.ChunkedArray) -> dict[str, int]:
    counted = pc.value_counts(sources).to_pylist()
    return dict(sorted((entry["values"], entry["counts"]) for entry in counted if entry["values"]))
