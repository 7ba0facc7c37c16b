"""An example of a data set: a concept set, the sentences written for it, and where it comes from."""

import re
from typing import NamedTuple

_TAGGED = re.compile(".+_[NV]")


class Example(NamedTuple):
    """A concept set in its stored order, its sentences (the target first, then references), its source if known."""

    concepts: tuple[str, ...]
    sentences: tuple[str, ...]
    source: str | None = None


def without_tags(example: Example) -> Example:
    """Returns the example without part-of-speech suffixes, if all of its concepts have one, as in CommonGen's dev and
    test sets.

    >>> without_tags(Example(("field_N", "look_V"), ("x",))).concepts
    ('field', 'look')
    """
    if not all(map(_TAGGED.fullmatch, example.concepts)):
        return example
    return example._replace(concepts=tuple(concept[:-2] for concept in example.concepts))
