"""Scorer `tfidf`: cosines of tf-idf vectors over content morphemes, for any language and without a model."""

from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar

import numpy as np
import pyarrow as pa

from conceptloom.arrays.lists import Lists
from conceptloom.arrays.types import Float64, Int32, Int64
from conceptloom.errors import ConfigError
from conceptloom.json_values import JsonObject
from conceptloom.similarity.base import SCORERS, Frequencies, ScorerEntry
from conceptloom.similarity.centrality import posting_groups
from conceptloom.similarity.morpheme_sets import encode_sets

NAME, VERSION = "tfidf", "1"
GROUP_ROWS = 100_000
"""Posting rows scored together: bounds the memory for (posting, morpheme) totals to some 50 MB."""


class TfidfScorer:
    """Cosine of l2-normalised tf-idf, each morpheme counted once a sentence (tf is 0 or 1).

    idf = ln((1 + n) / (1 + df)) + 1, as scikit-learn's TfidfVectorizer(binary=True); n, df from the whole corpus.
    A morpheme that the frequencies do not hold is ignored.
    """

    name = NAME

    def __init__(self, frequencies: Frequencies) -> None:
        names: list[str] = frequencies.morphemes.to_pylist()
        self._places = {morpheme: place for place, morpheme in enumerate(names)}
        self._idf: Float64 = np.log((1 + frequencies.sentences) / (1 + frequencies.counts)) + 1
        self._corpus = _fingerprint(frequencies, names)

    def signature(self) -> JsonObject:
        """Returns name, version of the method, and the SHA-256 of the corpus's frequencies."""
        return {"name": NAME, "version": VERSION, "frequencies": self._corpus}

    def encode(self, sentences: pa.RecordBatch) -> pa.Array:
        """Returns list<int32>: the places of each row's morphemes among those of the frequencies, sorted, each once."""
        return encode_sets(sentences.column("morphemes"), self._lookup)

    def _lookup(self, morphemes: list[str]) -> tuple[Int64, Int64]:
        places = np.fromiter((self._places.get(m, -1) for m in morphemes), dtype=np.int64, count=len(morphemes))
        return (places >= 0).astype(np.int64), places[places >= 0]

    def centralities(self, features: pa.Array, offsets: Int64) -> Float64:
        """Returns score_i = sum_m e_im * (total of m in the posting) - |e_i|^2: the linear identity on sparse rows."""
        places, row_offsets = Lists.from_arrow(features)
        scores = np.zeros(len(features))
        for first, last in posting_groups(offsets, GROUP_ROWS):
            start, end = int(offsets[first]), int(offsets[last])
            entries = slice(row_offsets[start], row_offsets[end])
            lengths = np.diff(row_offsets[start : end + 1])
            scores[start:end] = self._scores(places[entries], lengths, offsets[first : last + 1])
        return scores

    def _scores(self, places: Int32, lengths: Int64, offsets: Int64) -> Float64:
        rows = np.repeat(np.arange(len(lengths)), lengths)
        postings = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        weights = self._idf[places]
        norms = np.sqrt(np.bincount(rows, weights**2, len(lengths)))
        values = weights / norms[rows]
        _, terms = np.unique(postings[rows] * len(self._idf) + places, return_inverse=True)
        totals = np.bincount(terms, values)
        scores: Float64 = np.bincount(rows, values * (totals[terms] - values), len(lengths)).astype(np.float64)
        return scores


def _fingerprint(frequencies: Frequencies, names: list[str]) -> str:
    digest = sha256(f"{frequencies.sentences}\n".encode())
    digest.update("\n".join(names).encode())
    digest.update(frequencies.counts.astype("<i8").tobytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class Tfidf:
    """The scorer over the corpus that is built from; it has no options."""

    wants_frequencies: ClassVar[bool] = True
    one_process: ClassVar[bool] = False

    def signature(self) -> JsonObject:
        """See ScorerOptions: the corpus is not part of it."""
        return {"name": NAME, "version": VERSION}

    def open(self, frequencies: Frequencies | None) -> TfidfScorer:
        """See ScorerOptions."""
        if frequencies is None:
            raise ConfigError("scorer tfidf needs the corpus's morpheme frequencies; count them with count_frequencies")
        return TfidfScorer(frequencies)


SCORERS.add(NAME, ScorerEntry("tf-idf cosine over content morphemes, idf of the whole corpus", Tfidf))
