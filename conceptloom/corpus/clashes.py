"""Which concepts of a sentence compete for its words: one word may stand for several (`lenses` for lens and lense).

A sentence supports a concept set if distinct words of it can supply the concepts, each word one of them. By Hall's
theorem it does unless the set holds a *clash*: concepts that together come from fewer words than they are. Only the
minimal clashes count, those that hold no other clash.
"""

from collections.abc import Sequence
from itertools import permutations

LARGEST = 8
"""The number of concepts of the largest clash that is found: what is exact for sets up to this size.

A bound is needed, as the clashes of many words with the same concepts grow in number exponentially. English is far
below it: of 78,000 names of ConceptNet, no more than three are linked by words that they share.
"""

SEPARATOR = "#"

Matches = Sequence[Sequence[str]]
"""For each word of a sentence the concepts that it may stand for."""


def minimal_clashes(matches: Matches) -> list[tuple[str, ...]]:
    """Returns the minimal clashes of up to LARGEST concepts; each is sorted, and so is the list.

    >>> minimal_clashes([["dog"], ["lens", "lense"], ["lens"], ["data", "datum"]])
    [('data', 'datum')]
    >>> minimal_clashes([["chile", "chili", "chilli"], ["chile", "chili", "chilli"]])
    [('chile', 'chili', 'chilli')]
    """
    ambiguous = [word for word in matches if len(word) > 1]
    if not ambiguous:
        return []
    rivals, places, found = _rivals(ambiguous), _places(matches), list[frozenset[str]]()
    grown = {frozenset((one,)) for one in rivals}
    # The concepts of a minimal clash are linked by words that they share, and all smaller parts of it are free.
    for _ in range(1, LARGEST):
        larger = {known | {one} for known in grown for near in known for one in rivals[near] - known}
        words = {one: len(set().union(*map(places.__getitem__, one))) for one in larger if not _holds(one, found)}
        found += [one for one, number in words.items() if number < len(one)]
        grown = {one for one, number in words.items() if len(one) <= number < LARGEST}
    return sorted(tuple(sorted(one)) for one in found)


def _rivals(matches: Matches) -> dict[str, set[str]]:
    """For each concept that shares a word with others, these."""
    rivals = dict[str, set[str]]()
    for word in matches:
        for one, other in permutations(set(word), 2):
            rivals.setdefault(one, set()).add(other)
    return rivals


def _places(matches: Matches) -> dict[str, set[int]]:
    """For each concept the words that may stand for it."""
    places = dict[str, set[int]]()
    for at, word in enumerate(matches):
        for one in word:
            places.setdefault(one, set()).add(at)
    return places


def _holds(concepts: frozenset[str], found: list[frozenset[str]]) -> bool:
    return any(one <= concepts for one in found)


def clash_names(matches: Matches) -> list[str]:
    """Returns the minimal clashes as text, the concepts of each joined by `#`.

    >>> clash_names([["data", "datum"], ["rise", "rose"]])
    ['data#datum', 'rise#rose']
    """
    return [SEPARATOR.join(one) for one in minimal_clashes(matches)]
