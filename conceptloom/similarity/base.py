"""What a scorer is: it says how alike sentences are, a block of postings at a time."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

import pyarrow as pa

from conceptloom.arrays.types import Float64, Int64
from conceptloom.json_values import JsonObject
from conceptloom.options import with_options
from conceptloom.registry import Registry


@dataclass(frozen=True)
class Frequencies:
    """In how many sentences each content morpheme occurs: what a scorer may need to know of the whole corpus."""

    sentences: int
    morphemes: pa.Array
    counts: Int64


class Encoder(Protocol):
    """The first step of a scorer, done once for a sentence: what travels to each of its postings."""

    def encode(self, sentences: pa.RecordBatch) -> pa.Array:
        """Returns the features of each sentence (schema SENTENCES), length len(sentences).

        They must be small: token ids for a static scorer, the text for a model.
        """


class TextEncoder:
    """The first step of a scorer that one process holds: the text travels, so that no other process opens it."""

    def encode(self, sentences: pa.RecordBatch) -> pa.Array:
        """Returns the text of each sentence."""
        return sentences.column("text")


class Scorer(Encoder, Protocol):
    """How alike sentences are, computed for whole postings at once from the features of their sentences.

    A scorer is opened in the process that uses it (it may hold a model or a GPU) and is never pickled.
    """

    name: str

    def signature(self) -> JsonObject:
        """Returns what identifies the scores: name, version, file hash. It is kept in the build's report."""

    def centralities(self, features: pa.Array, offsets: Int64) -> Float64:
        """Returns score_i = sum_j y_ij - y_ii over each posting (Korean CommonGen, section 3.1, eq. 2), not rounded.

        `offsets` has shape (postings + 1,): posting p is the rows offsets[p]:offsets[p + 1] of `features`.
        The result has shape (len(features),).
        """


class ScorerOptions(Hashable, Protocol):
    """A scorer as a configuration names it: a frozen dataclass of its options, pickled to where the work is done.

    Where it comes from another package, that package is imported there by being unpickled.
    """

    wants_frequencies: ClassVar[bool]
    """Whether the corpus's frequencies are counted first."""
    one_process: ClassVar[bool]
    """Whether one process of a machine holds the scorer, as a device has one owner.

    Such a scorer gets the texts as features (see TextEncoder), and no frequencies.
    """

    def signature(self) -> JsonObject:
        """Returns what the scores depend on besides the corpus: name, version, options, hashes of files (not paths).

        It is part of the stage's fingerprint. Opens nothing. Raises ConfigError where a file is missing.
        """

    def open(self, frequencies: Frequencies | None) -> Scorer:
        """Returns the scorer; raises ConfigError where something that it needs is missing or damaged."""


@dataclass(frozen=True)
class ScorerEntry:
    """A scorer that can be named: `make` is a frozen dataclass whose fields are its options."""

    summary: str
    make: Callable[..., ScorerOptions]


SCORERS: Registry[ScorerEntry] = Registry("scorer", "conceptloom.scorers", ScorerEntry)


def make_scorer(name: str, options: Mapping[str, object] | None = None) -> ScorerOptions:
    """Returns the scorer of that name with these options, not opened; raises ConfigError for an unknown option."""
    return with_options(SCORERS[name].make, options or {}, f"scorer {name}")
