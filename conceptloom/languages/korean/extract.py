"""Extracts concept sets from plain sentences: normalisation, tagging and a concept rule in one call."""

from collections.abc import Iterable, Iterator
from itertools import islice

from conceptloom.languages.korean.normalise import normalise
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.taggers import tagger

BLOCK = 1024


def concepts_of(sentences: list[str], rule: str = "published", tagger_name: str = "mecab") -> list[list[str]]:
    """Returns the concepts of each sentence, in order; NUL characters, which no tagger reads, count as spaces."""
    backend = tagger(tagger_name)
    texts = [sentence.replace("\0", " ") for sentence in sentences]
    return RULES[rule].concepts(texts, backend.tokens(texts), backend)


def concept_sets(lines: Iterable[str], rule: str, tagger_name: str) -> Iterator[tuple[str, list[str]]]:
    """Yields each line, normalised, with its concepts. Memory: a block of lines."""
    left = iter(lines)
    while block := [normalise(line) for line in islice(left, BLOCK)]:
        yield from zip(block, concepts_of(block, rule, tagger_name), strict=True)
