"""The contract of a concept rule, which extracts the concepts of tagged sentences."""

from collections.abc import Callable
from dataclasses import dataclass

from conceptloom.languages.korean.taggers.base import Tagger
from conceptloom.languages.korean.tokens import Token
from conceptloom.registry import Registry

Sentences = list[list[Token]]


@dataclass(frozen=True)
class Rule:
    """A registered concept rule.

    `extract` takes the texts, their tokens and the tagger (for a rule that tags pieces by themselves), and returns the
    concepts of each sentence: distinct, in the order of the text.
    """

    summary: str
    extract: Callable[[list[str], Sentences, Tagger], list[list[str]]]


RULES: Registry[Rule] = Registry("concept rule", "conceptloom.rules", Rule)


def by_sentence(concepts_of: Callable[[str, list[Token]], list[str]]) -> Callable[..., list[list[str]]]:
    """Returns the `extract` of a rule on the text and tokens of one sentence; it drops repeated concepts."""

    def extract(texts: list[str], sentences: Sentences, tagger: Tagger) -> list[list[str]]:
        return [list(dict.fromkeys(concepts_of(*pair))) for pair in zip(texts, sentences, strict=True)]

    return extract
