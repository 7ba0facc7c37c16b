"""Rule `noun-verb`: nouns and verbs of each white-space token (paper, section 6.1: noun and verb)."""

from conceptloom.languages.korean.rules.base import RULES, Rule
from conceptloom.languages.korean.taggers.base import Tagger
from conceptloom.languages.korean.tokens import Token


def eojeol_concept(eojeol: str, tokens: list[Token]) -> str:
    """Returns the concept of one white-space token tagged by itself, or an empty string.

    If its first tag is a noun: all tokens but particles, concatenated. If it is a verb: the whole white-space token.
    """
    first = tokens[0].tag if tokens else ""
    if first.startswith("NNG"):
        return "".join(token.surface for token in tokens if not token.tag.startswith("J"))
    return eojeol if first.startswith("V") else ""


def noun_verb(texts: list[str], sentences: list[list[Token]], tagger: Tagger) -> list[list[str]]:
    """Returns the concepts of each sentence; tags each distinct white-space token of the block once."""
    split = [text.removesuffix(".").split() for text in texts]
    distinct = list(dict.fromkeys(eojeol for eojeols in split for eojeol in eojeols))
    concept = dict(zip(distinct, map(eojeol_concept, distinct, tagger.tokens(distinct)), strict=True))
    return [list(dict.fromkeys(filter(None, map(concept.__getitem__, eojeols)))) for eojeols in split]


RULES.add("noun-verb", Rule("nouns and verbs of each white-space token (ablation, section 6.1)", noun_verb))
