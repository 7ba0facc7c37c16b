"""What a scorer is: it says how alike sentences are, a block of postings at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from conceptloom.arrays.types import Float64, Int64
from conceptloom.registry import Registry


@dataclass(frozen=True)
class Frequencies:
    """In how many sentences each content morpheme occurs: what a scorer may want to know of the whole corpus."""

    sentences: int
    morphemes: pa.Array
    counts: Int64


class Scorer(Protocol):
    """How alike two sentences are, asked for whole postings at once.

    A scorer works in two steps, so that the work done once for a sentence is not done once for each of its postings:

    1. `encode` turns a block of sentences (schema SENTENCES) into one Arrow array of features, a row each. This is what
       travels to the postings, so it must be small: token ids for a static scorer, the text for a cross-encoder.
    2. `centralities` gets the features of many postings, one posting after the other, and scores all rows.

    A scorer is made in the process that uses it (it may hold a model or a GPU) and is never pickled.
    """

    name: str

    def signature(self) -> dict[str, Any]:
        """What identifies the scores: name, version, file hash. JSON values; it is kept in the build's report."""

    def encode(self, sentences: pa.RecordBatch) -> pa.Array:
        """The features of each sentence, length len(sentences)."""

    def centralities(self, features: pa.Array, offsets: Int64) -> Float64:
        """score_i = sum_j y_ij - y_ii over each posting (Korean CommonGen, section 3.1, equation 2), not rounded.

        `offsets` has shape (postings + 1,): posting p is the rows offsets[p]:offsets[p + 1] of `features`.
        Returns shape (len(features),).
        """


@dataclass(frozen=True)
class ScorerEntry:
    """A scorer that can be named: how to make it, and whether it wants the corpus's frequencies first."""

    summary: str
    make: Callable[[Frequencies | None], Scorer]
    wants_frequencies: bool = False


SCORERS: Registry[ScorerEntry] = Registry("scorer", "conceptloom.scorers", ScorerEntry)
