"""What a dropped set shares with dev or test, as text: the detail given with the reason."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

Set = Sequence[str]


def shared_pairs(dropped: Iterable[Set], held: Iterable[Set]) -> Iterator[str]:
    """Yields for each dropped set (sorted concepts) those of its pairs that any held-out set holds.

    >>> list(shared_pairs([["ball", "dog", "run"]], [["dog", "run", "sea"], ["ball", "dog"]]))
    ['ball#dog, dog#run']
    """
    pairs = {pair for concepts in held for pair in combinations(sorted(concepts), 2)}
    for concepts in dropped:
        yield ", ".join("#".join(pair) for pair in combinations(concepts, 2) if pair in pairs)


def shared_concepts(dropped: Iterable[Set], nearest: Iterable[Set]) -> Iterator[str]:
    """Yields for each dropped set the concepts that it shares with its nearest held-out set, and that set.

    >>> list(shared_concepts([["ball", "dog", "run"]], [["dog", "run", "sea"]]))
    ['dog#run of dog#run#sea']
    """
    for concepts, other in zip(dropped, nearest):
        yield f"{'#'.join(concept for concept in concepts if concept in other)} of {'#'.join(other)}"
