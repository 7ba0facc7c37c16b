"""Rules made of noun chains: `published` (found by measuring 45,228 published sets), `exact` and `free-morpheme`."""

from collections.abc import Callable

from conceptloom.languages.korean.rules.base import RULES, Rule, by_sentence
from conceptloom.languages.korean.tokens import Kind, Token

Join = Callable[[str, list[Token], int, int], str]
ALL_WORDS: frozenset[Kind] = frozenset({"modifier", "verb"})
MODIFIERS: frozenset[Kind] = frozenset({"modifier"})
_END = Token("", "")


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


def chain_concepts(text: str, tokens: list[Token], join: Join, words: frozenset[Kind]) -> list[str]:
    """Returns noun chains and the words of the given kinds, in order.

    Any token that is not a noun closes a chain, and so does the end of the tokens.
    """
    concepts: list[str] = []
    first = -1
    for index, token in enumerate((*tokens, _END)):
        kind = token.kind
        if kind == "noun":
            first = index if first < 0 else first
            continue
        if first >= 0:
            single = first == index - 1
            concepts.append(tokens[first].surface if single else join(text, tokens, first, index - 1))
            first = -1
        if kind in words:
            concepts.append(token.surface)
    return concepts


def published(text: str, tokens: list[Token]) -> list[str]:
    """Returns the concepts as the published data set has them.

    It ignores the last token, be it a full stop or not, and discards a chain that the end of the sentence leaves open.
    """
    end = len(tokens) - 1
    while end > 0 and tokens[end - 1].kind == "noun":
        end -= 1
    return chain_concepts(text, tokens[: max(end, 0)], join_by_first_occurrence, ALL_WORDS)


def exact(text: str, tokens: list[Token]) -> list[str]:
    """As `published`, but with chains from their own places, and with what ends the sentence: for a new data set.

    `나무 위에 새` has 나무 위 and 새, whether a full stop follows or not.
    """
    return chain_concepts(text, tokens, join_in_place, ALL_WORDS)


def free_morpheme(text: str, tokens: list[Token]) -> list[str]:
    """As `published`, without verbs and adjectives (paper, section 6.1: free morphemes), with the last chain."""
    return chain_concepts(text, tokens, join_by_first_occurrence, MODIFIERS)


RULES.add(
    "published", Rule("as the published data set: noun chains, modifiers, verbs (default)", by_sentence(published))
)
RULES.add("exact", Rule("as published, noun chains from their own places, also the last one", by_sentence(exact)))
RULES.add("free-morpheme", Rule("noun chains and modifiers only (ablation, section 6.1)", by_sentence(free_morpheme)))
