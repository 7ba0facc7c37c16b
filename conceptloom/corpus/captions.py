"""Analysis of a block of distinct English sentences: words and concepts (CommonGen, section 3.1)."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from typing import ClassVar

import pyarrow as pa

from conceptloom.arrays.lists import string_lists
from conceptloom.corpus.clashes import clash_names
from conceptloom.corpus.units import Normalise, SentenceUnit, Unit
from conceptloom.hashing import text_id
from conceptloom.json_values import JsonObject
from conceptloom.languages.english.analysers import (
    DEFAULT,
    Analyser,
    distinct,
    make_analyser,
    named_analyser,
)
from conceptloom.languages.english.lemma_analysers import Vocabulary
from conceptloom.languages.english.normalise import PLAIN, normalise
from conceptloom.languages.english.words import words
from conceptloom.ledger import reject
from conceptloom.schemas import CAPTIONS

NO_WORDS = "no_words"
NO_CONCEPTS = "no_concepts"


def whole(text: str) -> list[str]:
    """Returns the caption as one sentence, however many full stops it has: its words make one scene."""
    return [text]


def word_sequence(text: str) -> str:
    """Returns the words of a caption: what is left of it without case and punctuation; the text if it has no words.

    >>> word_sequence("A dog, running!") == word_sequence("a dog running")
    True
    """
    return " ".join(words(text)) or text


UNIQUE_BY: dict[str, Normalise] = {"words": word_sequence, "text": str}
"""What makes two captions the same one: corpora copy each other's captions and respell them."""


def caption_ids(text: str) -> list[str]:
    """Returns the ids that a caption can have in a build: by its words, and by its text."""
    normal = normalise(text)
    return [text_id(same(normal)) for same in UNIQUE_BY.values()]


@dataclass(frozen=True)
class CaptionAnalyser:
    """Finds concepts by an analyser that is named; the vocabulary comes as the stage's side input."""

    name: str = DEFAULT
    unique_by: str = "words"
    """See UNIQUE_BY."""

    @property
    def unit(self) -> Unit:
        """See SentenceAnalyser: whole captions."""
        return SentenceUnit(normalise, whole, same=UNIQUE_BY[self.unique_by], plain=PLAIN)

    def signature(self) -> JsonObject:
        """See SentenceAnalyser: that of the analyser which is named."""
        return {"analyser": named_analyser(self.name).signature()}

    def open(self, side: bytes | None) -> "OpenCaptionAnalyser":
        """See SentenceAnalyser; `side` is what `encode_vocabulary` returns."""
        return _opened(self.name, side or b"")


def encode_vocabulary(vocabulary: Vocabulary) -> bytes:
    """Returns the concepts as bytes, sorted: a word a line."""
    return "".join(f"{word}\n" for word in sorted(vocabulary)).encode()


@lru_cache(maxsize=1)
def _opened(name: str, vocabulary: bytes) -> "OpenCaptionAnalyser":
    return OpenCaptionAnalyser(make_analyser(name, frozenset(vocabulary.decode().split("\n")) - {""}))


@dataclass(frozen=True)
class OpenCaptionAnalyser:
    """An analyser with its vocabulary; one for each process, as it remembers the word forms that it has met."""

    analyser: Analyser
    schema: ClassVar[pa.Schema] = CAPTIONS

    def rows(self, block: pa.Table, seed: int) -> tuple[pa.Table, pa.Table]:
        """See OpenAnalyser. A sentence without words, or without a concept, is left out."""
        texts = block["text"].to_pylist()
        tokens = [words(text) for text in texts]
        matches = self.analyser.matches(texts, tokens)
        concepts = [distinct(sentence) for sentence in matches]
        columns = {"concepts": concepts, "words": tokens, "clashes": [clash_names(sentence) for sentence in matches]}
        for name, lists in columns.items():
            block = block.append_column(name, string_lists(lists))
        kept = block.filter(pa.array([bool(found) for found in concepts], pa.bool_()))
        reasons = [NO_CONCEPTS if found else NO_WORDS for found in tokens]
        return kept.select(CAPTIONS.names).cast(CAPTIONS), _left_out(block, concepts, reasons)


def _left_out(block: pa.Table, concepts: list[list[str]], reasons: list[str]) -> pa.Table:
    without = [not found for found in concepts]
    rows = block.filter(pa.array(without, pa.bool_()))
    return reject(rows, "ingest", pa.array(compress(reasons, without), pa.string()), "")
