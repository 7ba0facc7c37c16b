"""Rules made of noun chains: `published` (found by measuring 45,228 published sets), `exact` and `free-morpheme`."""

from collections.abc import Callable

from conceptloom.languages.korean.rules.base import RULES, Rule, by_sentence, in_blocks
from conceptloom.languages.korean.rules.joins import join_by_first_occurrence, join_in_place
from conceptloom.languages.korean.tokens import Kind, Token

Join = Callable[[str, list[Token], int, int], str]
ALL_WORDS: frozenset[Kind] = frozenset({"modifier", "verb"})
MODIFIERS: frozenset[Kind] = frozenset({"modifier"})
_END = Token("", "")


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


def _add(name: str, summary: str, of_sentence: Callable[[str, list[Token]], list[str]]) -> None:
    RULES.add(name, Rule(summary, by_sentence(of_sentence), in_blocks(of_sentence.__name__)))


_add("published", "as the published data set: noun chains, modifiers, verbs (default)", published)
_add("exact", "as published, noun chains from their own places, also the last one", exact)
_add("free-morpheme", "noun chains and modifiers only (ablation, section 6.1)", free_morpheme)
