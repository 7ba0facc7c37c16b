"""Measures what an analyser misses and adds, on published concept sets and their sentences.

It misses the published concepts that it does not find, counted by cause. It adds concepts beyond the published set, and
some words match several concepts at once.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from conceptloom.languages.english.analysers import Analyser
from conceptloom.languages.english.lemmas import lemmas
from conceptloom.languages.english.words import FUNCTION_WORDS, words

CAUSES = {
    "undecoded": "the published concept is damaged text",
    "function word": "the concept is a function word",
    "verb in -ing": "the word in -ing was read as a verb only",
    "inflected": "the published concept is an inflected form, not a lemma",
    "wrong lemma": "the published concept is a word without its ending, not a lemma of the word",
    "other form": "a word of the sentence begins like the concept, but is not a form of it",
    "absent": "no word of the sentence begins like the concept",
}
"""Why a published concept was not found; the first cause that applies counts."""

BLOCK = 4096
_ENDINGS = ("s", "es", "d", "ed", "ing")
_LIKE = 4
"""The number of leading letters that two words share if one begins like the other."""

Pair = tuple[tuple[str, ...], str]


@dataclass
class Doubts:
    """Counts over pairs of a concept set and a sentence."""

    pairs: int = 0
    missed_pairs: int = 0
    """Pairs with at least one concept that was not found."""
    causes: Counter[str] = field(default_factory=Counter)
    """Missed concepts by CAUSES; a pair may miss several."""
    missed: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Missed concepts by (cause, concept)."""
    words: int = 0
    matched_words: int = 0
    """Words that match at least one concept."""
    beyond: int = 0
    """Concepts found that are not in the published set; most of them do occur in the sentence."""
    several: Counter[tuple[str, tuple[str, ...]]] = field(default_factory=Counter)
    """Words that match several concepts: (word, concepts). All but one of these are wrong at each place."""

    @property
    def found_share(self) -> float:
        """The share of pairs whose concepts were all found."""
        return 1 - self.missed_pairs / max(1, self.pairs)

    @property
    def several_share(self) -> float:
        """The share of matched words that match several concepts."""
        return self.several.total() / max(1, self.matched_words)


def measure_doubts(pairs: Iterable[Pair], analyser: Analyser) -> Doubts:
    """Returns the counts of what the analyser misses and adds. Memory: a block of pairs, and the distinct words."""
    doubts, left = Doubts(), iter(pairs)
    while block := list(islice(left, BLOCK)):
        matched = analyser.matches([sentence for _, sentence in block])
        for (concepts, sentence), found in zip(block, matched, strict=True):
            _count(doubts, concepts, words(sentence), found)
    return doubts


def cause_of(concept: str, sentence: list[str]) -> str:
    """Returns why a concept was not found in the words of a sentence: one of CAUSES.

    >>> cause_of("giraffes", ["giraffes", "graze"]), cause_of("bunche", ["bunches"]), cause_of("remote", ["red"])
    ('inflected', 'wrong lemma', 'absent')
    """
    if "\ufffd" in concept:
        return "undecoded"
    if concept in sentence:
        if concept in FUNCTION_WORDS:
            return "function word"
        return "verb in -ing" if lemmas(concept).gerund else "inflected"
    if any(word in _with_endings(concept) for word in sentence):
        return "wrong lemma"
    return "other form" if any(word.startswith(concept[:_LIKE]) for word in sentence) else "absent"


def _count(doubts: Doubts, concepts: tuple[str, ...], sentence: list[str], found: list[tuple[str, ...]]) -> None:
    distinct = {concept for word in found for concept in word}
    missed = set(concepts) - distinct
    doubts.pairs += 1
    doubts.missed_pairs += bool(missed)
    doubts.missed.update((cause_of(concept, sentence), concept) for concept in missed)
    doubts.causes.update(cause_of(concept, sentence) for concept in missed)
    doubts.words += len(found)
    doubts.matched_words += sum(map(bool, found))
    doubts.beyond += len(distinct - set(concepts))
    doubts.several.update((word, match) for word, match in zip(sentence, found) if len(match) > 1)


def _with_endings(concept: str) -> set[str]:
    stem = concept.removesuffix("e")
    return {base + ending for base in (concept, stem) for ending in _ENDINGS}
