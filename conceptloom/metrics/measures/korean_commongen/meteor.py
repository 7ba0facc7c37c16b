"""METEOR as nltk's `single_meteor_score` computes it without WordNet, over many pairs.

nltk's own function takes longer than all other Korean metrics together because it stems every word of every pair.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from conceptloom.metrics.measures.porter import PorterStemmer

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5
_STEMMER = PorterStemmer(changed=True)
"""nltk's default stemmer."""
Words = Sequence[str]
_ENGLISH = re.compile("[a-z]")
"""A word without such a letter is its own stem."""


def meteor(predicted: Words, reference: Words) -> float:
    """The score of one pair of sentences, words in lower case: 0 to 1, equal to nltk's to the last digit.

    Equal words are matched first, then words with equal stems; among several candidates the last one is matched.
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
    """The places of words that match, in the order of the prediction."""
    matches = _same(predicted, reference)
    if len(matches) < min(len(predicted), len(reference)) and _ENGLISH.search("".join([*predicted, *reference])):
        matches += _same_stems(predicted, reference, matches)
        matches.sort()
    else:
        matches.reverse()
    return matches


def _same(left: Words, right: Words) -> list[tuple[int, int]]:
    """The places of equal words, each word used once, last ones first."""
    places = dict(zip(right, range(len(right))))
    backwards = zip(range(len(left) - 1, -1, -1), reversed(left))
    if len(places) == len(right):
        return [(at, places.pop(word)) for at, word in backwards if word in places]
    stacks: dict[str, list[int]] = {}
    for at, word in enumerate(right):
        stacks.setdefault(word, []).append(at)
    return [(at, stacks[word].pop()) for at, word in backwards if stacks.get(word)]


def _same_stems(left: Words, right: Words, matches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places of words with equal stems, among those that are not in `matches`."""
    taken = tuple(map(set, zip(*matches))) or (set(), set())
    rest = [[at for at in range(len(side)) if at not in used] for side, used in zip((left, right), taken)]
    stems = [[_stem(side[at]) for at in places] for side, places in zip((left, right), rest)]
    return [(rest[0][at], rest[1][other]) for at, other in _same(*stems)]


def _chunks(matches: list[tuple[int, int]]) -> int:
    """How many runs the matches form whose words are neighbours in both sentences."""
    follows = sum(a + 1 == c and b + 1 == d for (a, b), (c, d) in pairwise(matches))
    return len(matches) - follows


def _has_english_end(word: str) -> bool:
    """Porter's rules only look at English endings: any other word is its own stem."""
    return "a" <= word[-1] <= "z"


@cache
def _stem(word: str) -> str:
    return _STEMMER.stem(word) if _has_english_end(word) else word
