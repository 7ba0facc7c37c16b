"""What measures how alike two references are: scorers (see `conceptloom.similarity`) of English sentences, by name."""

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np
import pyarrow as pa

from conceptloom.arrays.types import Float64, Int64
from conceptloom.errors import ConfigError
from conceptloom.languages.english.lemmas import lemmas
from conceptloom.languages.english.words import FUNCTION_WORDS, words
from conceptloom.models import DEFAULT_DEVICE
from conceptloom.schemas import STRINGS
from conceptloom.similarity import BiEncoder, Scorer, TfidfScorer, count_frequencies

DEFAULT = "tfidf"
MODEL = "transformers:"
ENCODERS = {
    DEFAULT: "tf-idf of lemmas, without a model: sentences are alike where they share rare words",
    f"{MODEL}PATH": "the mean of a model's token vectors, as all-MiniLM-L6-v2 (extra `neural`, and the model)",
}
"""The encoders that can be named, with a line each."""

_SCHEMA = pa.schema([("text", pa.string()), ("morphemes", STRINGS)])


def make_encoder(name: str, corpus: Sequence[str], device: str = DEFAULT_DEVICE) -> Scorer:
    """Returns the scorer of a name; `corpus`: the sentences whose words' frequencies count; `device`: a model's.

    Raises ConfigError for an unknown name, or where the model cannot be loaded.
    """
    if name == DEFAULT:
        return TfidfScorer(count_frequencies(as_rows(corpus)))
    if not name.startswith(MODEL) or name == MODEL:
        raise ConfigError(f"no encoder is called {name!r}; there are: {', '.join(ENCODERS)}")
    return BiEncoder(name.removeprefix(MODEL), device).open(None)


def describe(name: str, sentences: int) -> str:
    """Returns in words what the numbers of an encoder rest on; `sentences`: how many its corpus has.

    >>> describe("tfidf", 20).partition(" (")[0]
    'tfidf over English lemmas'
    """
    if name == DEFAULT:
        return f"{DEFAULT} over English lemmas (lemminflect {version('lemminflect')}), idf of {sentences:,} sentences"
    return name


def as_rows(sentences: Sequence[str]) -> pa.RecordBatch:
    """Returns sentences as a scorer reads them: the text, and the lemmas of its content words as morphemes."""
    morphemes = [_lemmas_of(sentence) for sentence in sentences]
    return pa.record_batch([pa.array(list(sentences), pa.string()), pa.array(morphemes, STRINGS)], schema=_SCHEMA)


def pair_cosines(scorer: Scorer, sentences: Sequence[str], left: Int64, right: Int64) -> Float64:
    """Returns how alike sentence left[i] and sentence right[i] are, for each i; shape (len(left),)."""
    features = scorer.encode(as_rows(sentences))
    # A sentence's centrality in a posting of two is its likeness to the other one.
    both = pa.array(np.stack((left, right), axis=1).ravel())
    scores = scorer.centralities(features.take(both), np.arange(0, len(both) + 1, 2))
    pairs: Float64 = scores[::2]
    return pairs


def _lemmas_of(sentence: str) -> list[str]:
    """Returns every noun and verb lemma of each content word; the word itself where it has none."""
    content = (word for word in words(sentence) if word not in FUNCTION_WORDS)
    return sorted({lemma for word in content for lemma in lemmas(word).certain or (word,)})
