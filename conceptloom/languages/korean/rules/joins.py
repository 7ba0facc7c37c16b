"""How the nouns of a chain become one concept: as the text has them."""

from typing import NamedTuple

import numpy as np

from conceptloom.arrays.types import Bool, Int64
from conceptloom.languages.korean.token_table import TokenTable
from conceptloom.languages.korean.tokens import Token


class Chains(NamedTuple):
    """Noun chains in a table of tokens: sentence, place of the first token, number of tokens; each of shape (chains,).

    They are in the order of the tokens.
    """

    rows: Int64
    starts: Int64
    sizes: Int64

    def where(self, mask: Bool) -> "Chains":
        """Returns some of the chains; the mask has shape (chains,)."""
        return Chains(*(column[mask] for column in self))


def join_by_first_occurrence(text: str, tokens: list[Token], first: int, last: int) -> str:
    """Returns the text from the first occurrence of the chain's first noun to the end of that of its last noun.

    The published sets do this, with a quirk if a noun also occurs before its chain (`기차가 기차 역`). If the slice is
    empty, the nouns are concatenated.
    """
    start = text.find(tokens[first].surface)
    end = text.find(tokens[last].surface) + len(tokens[last].surface)
    return text[start:end] or "".join(token.surface for token in tokens[first : last + 1])


def join_in_place(text: str, tokens: list[Token], first: int, last: int) -> str:
    """Returns the text from the chain's own first noun to the end of its own last noun.

    If the first noun is not found in the text, returns the concatenated nouns.
    """
    position = 0
    start = -1
    for index in range(last + 1):
        surface = tokens[index].surface
        found = text.find(surface, position)
        # Some taggers return base forms that the text does not have, or has only further on: these do not count.
        gap = text[position:found]
        if found < 0 or (tokens[index].kind != "noun" and gap.strip()):
            continue
        start = found if index == first else start
        position = found + len(surface)
    return text[start:position] if start >= 0 else "".join(token.surface for token in tokens[first : last + 1])


def all_by_first_occurrence(texts: list[str], table: TokenTable, chains: Chains) -> list[str]:
    """Returns what `join_by_first_occurrence` makes of each chain."""
    rows = chains.rows.tolist()
    firsts, lasts = table.surfaces_at(chains.starts), table.surfaces_at(chains.starts + chains.sizes - 1)
    # Slices at once, as there are almost as many chains as sentences; few of them are empty.
    joined = [
        (text := texts[row])[text.find(first) : text.find(last) + len(last)]
        for row, first, last in zip(rows, firsts, lasts, strict=True)
    ]
    for number in [number for number, concept in enumerate(joined) if not concept]:
        start = int(chains.starts[number])
        joined[number] = "".join(table.surfaces_at(np.arange(start, start + int(chains.sizes[number]))))
    return joined


def all_in_place(texts: list[str], table: TokenTable, chains: Chains) -> list[str]:
    """Returns what `join_in_place` makes of each chain."""
    firsts = chains.starts - table.numbers.offsets[chains.rows]
    places = zip(chains.rows.tolist(), firsts.tolist(), (firsts + chains.sizes - 1).tolist(), strict=True)
    return [join_in_place(texts[row], table[row], first, last) for row, first, last in places]
