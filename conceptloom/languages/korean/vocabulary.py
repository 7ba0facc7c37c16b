"""Numbered tokens, and what is known of them as columns: a corpus has many tokens, but few distinct ones."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

import numpy as np
import pyarrow as pa

from conceptloom.arrays.building import text_array
from conceptloom.arrays.lists import string_lists
from conceptloom.arrays.types import Int8, Int32
from conceptloom.languages.korean.tokens import Kind, Token

K = TypeVar("K")
NUMBERED = 300_000
"""How many keys are remembered. A million sentences have about 100,000; the bound is for a corpus made to have more."""
KINDS: tuple[Kind, ...] = ("", "noun", "modifier", "verb")
"""The kinds of tokens; a column has the place of a kind here."""
_KIND_CODES = {kind: code for code, kind in enumerate(KINDS)}


@dataclass(frozen=True, eq=False)
class TokenColumns:
    """What is known of numbered tokens, a row for each: codes of shape (tokens,), and the names of the codes."""

    kinds: Int8
    """Places in KINDS."""
    tags: Int32
    tag_names: dict[str, int]
    surfaces: Int32
    surface_names: pa.StringArray
    surface_codes: dict[str, int]
    """The places of `surface_names`."""
    morphemes: pa.ListArray
    """The content morphemes of each token."""

    def extended(self, tokens: list[Token]) -> "TokenColumns":
        """Returns the columns of these and more tokens. The codes of both are the same dictionaries, which grow."""
        kinds = np.array([_KIND_CODES[token.kind] for token in tokens], np.int8)
        tags = _codes(self.tag_names, (token.tag for token in tokens))
        surfaces = _codes(self.surface_codes, (token.surface for token in tokens))
        fresh = text_array(islice(self.surface_codes, len(self.surface_names), None))
        return TokenColumns(
            np.concatenate((self.kinds, kinds)),
            np.concatenate((self.tags, tags)),
            self.tag_names,
            np.concatenate((self.surfaces, surfaces)),
            pa.concat_arrays([self.surface_names, fresh]),
            self.surface_codes,
            pa.concat_arrays([self.morphemes, string_lists([token.morphemes for token in tokens])]),
        )


def _codes(codes: dict[str, int], names: Iterable[str]) -> Int32:
    """Returns the code of each name; a new name gets the next one."""
    return np.array([codes.setdefault(name, len(codes)) for name in names], np.int32)


def _no_columns() -> TokenColumns:
    none = np.zeros(0, np.int32)
    return TokenColumns(none.astype(np.int8), none, {}, none, text_array(()), {}, string_lists(()))


class Vocabulary:
    """Tokens by number. It grows, and a number keeps its meaning."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self._columns = _no_columns()

    def add(self, token: Token) -> int:
        """Returns the number that the token gets."""
        self.tokens.append(token)
        return len(self.tokens) - 1

    @property
    def columns(self) -> TokenColumns:
        """What is known of all tokens so far; made when asked for, as a single sentence needs no columns."""
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
