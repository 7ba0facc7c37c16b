"""What is known of numbered tokens, as columns."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pyarrow as pa

from conceptloom.arrays.building import text_array
from conceptloom.arrays.lists import string_lists
from conceptloom.arrays.types import Int8, Int32
from conceptloom.languages.korean.tokens import Kind, Token

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


def no_columns() -> TokenColumns:
    """Returns the columns of no tokens."""
    none = np.zeros(0, np.int32)
    return TokenColumns(none.astype(np.int8), none, {}, none, text_array(()), {}, string_lists(()))
