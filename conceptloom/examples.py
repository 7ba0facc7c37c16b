"""An example of a data set: a concept set, the sentences written for it, and where it comes from."""

from typing import NamedTuple


class Example(NamedTuple):
    """A concept set in its stored order, its sentences (the target first, then references), its source if known."""

    concepts: tuple[str, ...]
    sentences: tuple[str, ...]
    source: str | None = None
