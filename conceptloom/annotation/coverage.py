"""Finds the concepts of a set in a sentence that was written for it."""

from collections.abc import Iterable, Sequence

from conceptloom.languages.english.lemma_analysers import LemmaAnalyser
from conceptloom.languages.english.words import words


def concept_places(sets: Sequence[Sequence[str]], sentences: Iterable[str]) -> list[list[int | None]]:
    """For each set and its sentence, the number (from 0) of the first word with each concept, or None.

    Concepts are found by the lemma analyser, or because they occur in the sentence as they are.
    """
    texts = list(sentences)
    matched = LemmaAnalyser(frozenset(concept for each in sets for concept in each)).matches(texts)
    return [_places(concepts, found, words(text)) for concepts, found, text in zip(sets, matched, texts, strict=True)]


def coverage(places: Sequence[int | None]) -> float:
    """The share of the concepts that were found, from 0 to 1.

    >>> coverage([3, None])
    0.5
    """
    return sum(place is not None for place in places) / max(1, len(places))


def _places(concepts: Sequence[str], found: list[tuple[str, ...]], sentence: list[str]) -> list[int | None]:
    first: dict[str, int] = {}
    for at, (word, matches) in enumerate(zip(sentence, found, strict=True)):
        for concept in (*matches, word):
            first.setdefault(concept, at)
    return [first.get(concept) for concept in concepts]
