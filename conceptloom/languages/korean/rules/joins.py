"""How the nouns of a chain become one concept: as the text has them."""

from conceptloom.languages.korean.tokens import Token


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
