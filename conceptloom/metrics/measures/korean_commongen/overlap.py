"""ROUGE-2 and ROUGE-L of Korean CommonGen's table: bigrams written as strings, the longest common subsequence."""

from collections.abc import Hashable, Iterable, Sequence
from operator import add
from typing import TypeVar

from conceptloom.metrics.measures.subsequences import places, subsequence_length

T = TypeVar("T", bound=Hashable)
BETA = 1.2
"""How much more recall counts than precision in both scores."""


def joined_bigrams(tokens: Sequence[str]) -> list[str]:
    """Bigrams as the published ROUGE-2 collects them: two tokens joined to one string.

    The published loop stops at the first token that equals the last token of the sentence, which need not be the last
    one itself; bigrams after it are lost.

    >>> joined_bigrams(["a", "bc", "b", "a", "c", "b"])
    ['abc', 'bcb']
    """
    if not tokens:
        return []
    end = tokens.index(tokens[-1])
    return list(map(add, tokens[:end], tokens[1 : end + 1]))


def bigram_f(predicted: list[str], references: Iterable[list[str]]) -> float:
    """The published ROUGE-2: the F score of bigrams, unclipped, against the best reference.

    Each bigram of the reference that the prediction has is one hit, in precision as well as in recall, so that either
    can exceed 1 where the reference repeats itself.
    """
    has, size, best = set(predicted).__contains__, len(predicted), 0.0
    for reference in references:
        hits = sum(map(has, reference))
        if hits:
            best = max(best, f_score(hits / size, hits / len(reference)))
    return best


def subsequence_f(predicted: Sequence[T], references: Iterable[Sequence[T]]) -> float:
    """The published ROUGE-L: the F score of the longest common subsequence, against the best reference."""
    masks = places(predicted)
    size, best = len(predicted), 0.0
    for reference in references:
        length = subsequence_length(masks, size, reference)
        if length:
            best = max(best, f_score(length / size, length / len(reference)))
    return best


def f_score(precision: float, recall: float) -> float:
    """F with BETA of two numbers that are not 0."""
    return (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision)
