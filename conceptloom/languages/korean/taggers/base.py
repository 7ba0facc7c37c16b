"""What a Korean tagger is, and the table of them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Protocol

from conceptloom.errors import ConfigError
from conceptloom.languages.korean.tokens import Token
from conceptloom.languages.korean.vocabulary import Numbering
from conceptloom.registry import Registry

if TYPE_CHECKING:
    from conceptloom.languages.korean.token_table import TokenTable


class Tagger(Protocol):
    """Tags sentences with Sejong tags. Made in the process that uses it; never pickled."""

    def tokens(self, sentences: list[str]) -> list[list[Token]]:
        """Returns the tokens of each sentence, in order. They do not depend on the other sentences."""

    def tag(self, sentences: list[str]) -> "TokenTable":
        """Returns the same as a table, for a block of sentences."""

    def signature(self) -> dict[str, str]:
        """Returns that of its entry."""


class SentenceTagger:
    """The part of a tagger that tags one sentence after the other."""

    def __init__(self, tokens_of: Callable[[str], list[Token]]) -> None:
        self._tokens_of = tokens_of
        self._numbering = Numbering[Token](lambda token: token)

    def tokens(self, sentences: list[str]) -> list[list[Token]]:
        """See Tagger."""
        return list(map(self._tokens_of, sentences))

    def tag(self, sentences: list[str]) -> "TokenTable":
        """See Tagger."""
        from conceptloom.languages.korean.token_table import tabulate

        return tabulate(map(self._tokens_of, sentences), self._numbering)


@dataclass(frozen=True)
class TaggerEntry:
    """A tagger that can be named in a configuration. Both functions raise ConfigError where a package is missing.

    `signature` returns name and versions without opening the tagger: what a stage's manifest keeps, so that another
    dictionary means another build.
    """

    summary: str
    make: Callable[[], Tagger]
    signature: Callable[[], dict[str, str]]


TAGGERS: Registry[TaggerEntry] = Registry("tagger", "conceptloom.taggers", TaggerEntry)


@lru_cache(maxsize=4)
def tagger(name: str) -> Tagger:
    """Returns the process's one tagger of that name (a dictionary takes memory and time to open)."""
    return TAGGERS[name].make()


def tagger_signature(name: str) -> dict[str, str]:
    """Returns the signature of the tagger of that name, which is not opened."""
    return TAGGERS[name].signature()


def versions(name: str, extra: str, *packages: str) -> dict[str, str]:
    """Returns the signature of tagger `name`: its name, and the versions of the packages that it is made of.

    Raises ConfigError that names the extra with the packages where one of them is missing.
    """
    try:
        return {"name": name, **{package: version(package) for package in packages}}
    except PackageNotFoundError as error:
        raise missing(name, str(error.name), extra) from None


def missing(name: str, package: str, extra: str) -> ConfigError:
    """Returns the error for a tagger whose package is not installed."""
    return ConfigError(f"the tagger {name} needs {package}: pip install '{extra}'")
