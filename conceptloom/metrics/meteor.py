"""METEOR as nltk's `single_meteor_score` computes it without WordNet, over many pairs.

nltk's own function takes longer than all other Korean metrics together, because it stems every word of every pair.
"""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from conceptloom.errors import ConfigError

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5
Words = Sequence[str]


def meteor(predicted: Words, reference: Words) -> float:
    """The score of one pair of sentences, words in lower case: 0 to 1, nltk's to the last digit.

    Words that are the same match, then those with the same stem; of several the last ones do. Raises ConfigError where
    nltk is wanted and not there.
    """
    matches = _matches(predicted, reference)
    if not matches:
        return 0.0
    count = len(matches)
    precision, recall = count / len(predicted), count / len(reference)
    mean = (precision * recall) / (ALPHA * precision + (1 - ALPHA) * recall)
    penalty = GAMMA * (_chunks(matches) / count) ** BETA
    return (1 - penalty) * mean


def _matches(predicted: Words, reference: Words) -> list[tuple[int, int]]:
    """The places of words that match, by their place in the prediction."""
    left, right = list(enumerate(predicted)), list(enumerate(reference))
    matches = _take_matches(left, right)
    if _may_share_stems(left, right):
        left, right = ([(place, _stem(word)) for place, word in side] for side in (left, right))
        matches += _take_matches(left, right)
        matches.sort()
    else:
        matches.reverse()
    return matches


def _take_matches(left: list[tuple[int, str]], right: list[tuple[int, str]]) -> list[tuple[int, int]]:
    """Takes the words that match out of both lists, from the end; answers their places, the last first."""
    free: dict[str, list[int]] = {}
    for at, (_, word) in enumerate(right):
        free.setdefault(word, []).append(at)
    matches, taken = [], set()
    for at in range(len(left) - 1, -1, -1):
        places = free.get(left[at][1])
        if places:
            other = places.pop()
            taken.add(other)
            matches.append((left.pop(at)[0], right[other][0]))
    right[:] = [pair for at, pair in enumerate(right) if at not in taken]
    return matches


def _chunks(matches: list[tuple[int, int]]) -> int:
    """How many runs of neighbours in both sentences the matches form."""
    follows = sum(a + 1 == c and b + 1 == d for (a, b), (c, d) in pairwise(matches))
    return len(matches) - follows


def _may_share_stems(left: list[tuple[int, str]], right: list[tuple[int, str]]) -> bool:
    """Whether any two different words can have one stem. A stem keeps a word's first letter."""
    (few, some), (others, more) = (
        ({word[0] for _, word in side if _has_english_end(word)}, {word[0] for _, word in side})
        for side in (left, right)
    )
    return not (few.isdisjoint(more) and some.isdisjoint(others))


def _has_english_end(word: str) -> bool:
    """Porter's rules look at English endings alone: any other word is its own stem."""
    return "a" <= word[-1] <= "z"


@cache
def _stem(word: str) -> str:
    return _stemmer().stem(word) if _has_english_end(word) else word


@cache
def _stemmer() -> Any:
    try:
        from nltk.stem.porter import PorterStemmer
    except ImportError:
        raise ConfigError("METEOR wants nltk: pip install 'conceptloom[evaluation]'") from None
    return PorterStemmer()
