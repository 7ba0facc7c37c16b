"""Rule `paper`: the tag list of Korean CommonGen, section 3.1, taken literally."""

from conceptloom.languages.korean.rules.base import RULES, Rule, by_sentence, in_blocks
from conceptloom.languages.korean.tokens import Token

PAPER_TAGS = frozenset(
    ["NNG", "NNP", "NNB", "NNBC", "NR", "NP", "MM", "MAG", "MAJ", "VV", "VA", "VX", "VCP", "VCN", "XR", "IC"]
)


def is_listed(tag: str) -> bool:
    """Returns whether the first part of a tag is in the paper's list."""
    return tag.partition("+")[0] in PAPER_TAGS


def paper(text: str, tokens: list[Token]) -> list[str]:
    """Returns every token whose (first) tag is in the paper's list, one by one; nouns are not joined."""
    return [token.surface for token in tokens if is_listed(token.tag)]


_SUMMARY = "every token with a tag of the paper's list (matches few published sets)"
RULES.add("paper", Rule(_SUMMARY, by_sentence(paper), in_blocks("paper")))
