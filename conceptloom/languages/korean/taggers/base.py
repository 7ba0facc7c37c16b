"""What a Korean tagger is, and the table of them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from conceptloom.languages.korean.tokens import Token
from conceptloom.registry import Registry


class Tagger(Protocol):
    """Tags sentences with Sejong tags. Made in the process that uses it; never pickled."""

    def tag(self, sentences: list[str]) -> list[list[Token]]:
        """The tokens of each sentence, in order."""

    def signature(self) -> dict[str, str]:
        """Name and versions: what a stage's manifest keeps, so that another dictionary means another build."""


@dataclass(frozen=True)
class TaggerEntry:
    """A tagger that can be named in a configuration."""

    summary: str
    make: Callable[[], Tagger]


TAGGERS: Registry[TaggerEntry] = Registry("tagger", "conceptloom.taggers", TaggerEntry)


@lru_cache(maxsize=4)
def tagger(name: str) -> Tagger:
    """The process's one tagger of that name (a dictionary takes memory and time to open)."""
    return TAGGERS[name].make()
