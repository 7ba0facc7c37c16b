"""The tokens of a block of sentences: a number for each, and the vocabulary that says what the numbers mean."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import numpy as np
import pyarrow as pa

from conceptloom.arrays.lists import Lists, list_array, list_sizes, offsets_of
from conceptloom.arrays.types import Bool, Int8, Int32, Int64
from conceptloom.languages.korean.token_columns import TokenColumns
from conceptloom.languages.korean.tokens import Token
from conceptloom.languages.korean.vocabulary import Numbering, Vocabulary

K = TypeVar("K")


@dataclass(frozen=True, eq=False)
class TokenTable:
    """The tokens of sentences, a list of tokens for each when it is indexed or iterated.

    `numbers` has a row of token numbers for each sentence, `numbers.values` of shape (tokens,).
    """

    numbers: Lists
    vocabulary: Vocabulary

    def __len__(self) -> int:
        return len(self.numbers.offsets) - 1

    def __getitem__(self, row: int) -> list[Token]:
        start, end = self.numbers.offsets[range(len(self))[row] :][:2]
        return list(map(self.vocabulary.tokens.__getitem__, self.numbers.values[start:end].tolist()))

    def __iter__(self) -> Iterator[list[Token]]:
        return map(self.__getitem__, range(len(self)))

    @property
    def columns(self) -> TokenColumns:
        """What is known of each token of the vocabulary."""
        return self.vocabulary.columns

    @property
    def kinds(self) -> Int8:
        """The kind of each token as its place in KINDS, shape (tokens,)."""
        return self.columns.kinds[self.numbers.values]

    @property
    def surfaces(self) -> Int32:
        """The code of each token's surface (see TokenColumns), shape (tokens,)."""
        return self.columns.surfaces[self.numbers.values]

    def surfaces_at(self, places: Int64) -> list[str]:
        """Returns the surfaces of the tokens at these places, shape (places,) of 0 to tokens - 1."""
        tokens = self.vocabulary.tokens
        return [tokens[number].surface for number in self.numbers.values[places].tolist()]

    @property
    def rows(self) -> Int64:
        """The sentence of each token, shape (tokens,)."""
        return np.repeat(np.arange(len(self)), self.numbers.sizes)

    def tagged(self, tags: Iterable[str]) -> Bool:
        """Returns which tokens have one of these tags, shape (tokens,)."""
        names = self.columns.tag_names
        wanted = np.zeros(len(names), dtype=np.bool_)
        wanted[[names[tag] for tag in tags if tag in names]] = True
        return wanted[self.columns.tags][self.numbers.values]

    def take(self, rows: Int64) -> "TokenTable":
        """Returns the tokens of these sentences, in the order given."""
        return TokenTable(self.numbers.take(rows), self.vocabulary)

    def morphemes(self) -> pa.ListArray:
        """Returns the content morphemes of each sentence, as lists of strings."""
        found = self.columns.morphemes.take(pa.array(self.numbers.values))
        ends = offsets_of(list_sizes(found))
        return list_array(found.flatten(), ends[self.numbers.offsets])


def tabulate(sentences: Iterable[Sequence[K]], numbering: Numbering[K]) -> TokenTable:
    """Returns the table of sentences whose tokens are given by the keys of a numbering."""
    numbering.bound()
    rows = list(sentences)
    offsets = offsets_of(np.fromiter(map(len, rows), np.int64, len(rows)))
    numbers = np.fromiter(map(numbering.__getitem__, chain.from_iterable(rows)), np.int32, int(offsets[-1]))
    return TokenTable(Lists(numbers, offsets), numbering.vocabulary)


def table_of(sentences: Iterable[Sequence[Token]]) -> TokenTable:
    """Returns the table of sentences that are lists of tokens."""
    return tabulate(sentences, Numbering[Token](lambda token: token))
