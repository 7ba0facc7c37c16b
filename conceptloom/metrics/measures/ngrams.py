"""The n-grams of a sentence, and how many of them a reference has too."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def ngrams(tokens: Sequence[T], size: int) -> list[tuple[T, ...]]:
    """The n-grams of a sentence, in order.

    >>> ngrams("abc", 2)
    [('a', 'b'), ('b', 'c')]
    """
    return list(zip(*(tokens[start:] for start in range(size))))


def clipped_hits(predicted: Sequence[T], references: Iterable[Sequence[T]]) -> int:
    """How many predicted n-grams a reference also has, each counted at most as often as the reference has it.

    Returns the largest such number over the references.

    >>> clipped_hits("aab", ["abb", "aaa"])
    2
    """
    distinct = set(predicted)
    if len(distinct) == len(predicted):
        return max(len(distinct.intersection(reference)) for reference in references)
    counts = Counter(predicted)
    return max((counts & Counter(reference)).total() for reference in references)
