"""How the concept sets of a split are stored: distinct sets, distinct orderings of them, and runs of equal rows.

CommonGen's paper gives 32,651 sets of train (table 1). This is the number of runs of equal lines in its parallel text:
a set that comes again further below, or with its concepts in another order, is counted again.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from conceptloom.examples import Example, without_tags


@dataclass(frozen=True)
class StoredSets:
    """The examples of a split by distinct set, and how these stand in its rows."""

    examples: list[Example]
    """One for each set, in the order of their first rows, with all of the sentences; without tags."""
    orderings: int
    """The number of distinct sets if the order of the concepts counts."""
    runs: int
    """The number of runs of rows whose sets are equal, in the same order."""


def sets_of(rows: Iterable[Example]) -> StoredSets:
    """Returns the rows by set, whatever the order of its concepts. A tag is part of a concept. Memory: the rows.

    >>> found = sets_of(Example(tuple(row.split()), ("x",)) for row in ("a b", "a b", "b a", "c", "a b"))
    >>> [example.concepts for example in found.examples], found.orderings, found.runs
    ([('a', 'b'), ('c',)], 3, 4)
    """
    rows = list(rows)
    found: dict[tuple[str, ...], list[Example]] = {}
    for row in rows:
        found.setdefault(tuple(sorted(row.concepts)), []).append(row)
    return StoredSets(
        examples=[without_tags(_joined(same)) for same in found.values()],
        orderings=len({row.concepts for row in rows}),
        runs=sum(1 for _ in groupby(rows, attrgetter("concepts"))),
    )


def _joined(same: list[Example]) -> Example:
    return same[0]._replace(sentences=tuple(text for row in same for text in row.sentences))
