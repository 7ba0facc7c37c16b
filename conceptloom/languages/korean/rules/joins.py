"""How the nouns of a chain become one concept: as the text has them."""

from itertools import pairwise
from typing import NamedTuple

from conceptloom.arrays.lists import offsets_of
from conceptloom.arrays.runs import gather
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
    return _by_first_occurrence(text, [token.surface for token in tokens[first : last + 1]])


def _by_first_occurrence(text: str, nouns: list[str]) -> str:
    end = text.find(nouns[-1]) + len(nouns[-1])
    return text[text.find(nouns[0]) : end] or "".join(nouns)


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
    tokens = table.vocabulary.tokens
    numbers = table.numbers.values[gather(chains.starts, chains.sizes)]
    nouns = [tokens[number].surface for number in numbers.tolist()]
    ends = pairwise(offsets_of(chains.sizes).tolist())
    return [_by_first_occurrence(texts[row], nouns[slice(*span)]) for row, span in zip(chains.rows.tolist(), ends)]


def all_in_place(texts: list[str], table: TokenTable, chains: Chains) -> list[str]:
    """Returns what `join_in_place` makes of each chain."""
    firsts = chains.starts - table.numbers.offsets[chains.rows]
    places = zip(chains.rows.tolist(), firsts.tolist(), (firsts + chains.sizes - 1).tolist(), strict=True)
    return [join_in_place(texts[row], table[row], first, last) for row, first, last in places]
