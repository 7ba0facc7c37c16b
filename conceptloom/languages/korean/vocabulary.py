"""Numbered tokens: a corpus has many tokens, but few distinct ones."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from conceptloom.languages.korean.tokens import Token

if TYPE_CHECKING:
    from conceptloom.languages.korean.token_columns import TokenColumns

K = TypeVar("K")
NUMBERED = 300_000
"""How many keys are remembered. A million sentences have about 20,000; the bound is for a corpus made to have more."""


class Vocabulary:
    """Tokens by number. It grows, and a number keeps its meaning."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self._columns: TokenColumns | None = None

    def add(self, token: Token) -> int:
        """Returns the number that the token gets."""
        self.tokens.append(token)
        return len(self.tokens) - 1

    @property
    def columns(self) -> "TokenColumns":
        """What is known of all tokens so far; made when asked for, as a single sentence needs no columns."""
        if self._columns is None:
            from conceptloom.languages.korean.token_columns import no_columns

            self._columns = no_columns()
        done = len(self._columns.kinds)
        if done < len(self.tokens):
            self._columns = self._columns.extended(self.tokens[done:])
        return self._columns


class Numbering(dict[K, int], Generic[K]):
    """The number of the token of each key that a tagger gives, a line of output for instance."""

    def __init__(self, token_of: Callable[[K], Token]) -> None:
        super().__init__()
        self.vocabulary = Vocabulary()
        self._token_of = token_of

    def __missing__(self, key: K) -> int:
        number = self[key] = self.vocabulary.add(self._token_of(key))
        return number

    def bound(self) -> None:
        """Begins anew after NUMBERED keys; a table that was made before keeps its vocabulary."""
        if len(self) > NUMBERED:
            self.clear()
            self.vocabulary = Vocabulary()
