"""What a concept rule is: it takes the concepts out of tagged sentences."""

from collections.abc import Callable
from dataclasses import dataclass

from conceptloom.languages.korean.taggers.base import Tagger
from conceptloom.languages.korean.tokens import Token
from conceptloom.registry import Registry

Sentences = list[list[Token]]


@dataclass(frozen=True)
class Rule:
    """A concept rule that can be named.

    `extract` gets the texts, their tokens and the tagger (for a rule that tags pieces by themselves), and answers the
    concepts of each sentence: distinct, in the order in which they stand.
    """

    summary: str
    extract: Callable[[list[str], Sentences, Tagger], list[list[str]]]


RULES: Registry[Rule] = Registry("concept rule", "conceptloom.rules", Rule)


def by_sentence(concepts_of: Callable[[str, list[Token]], list[str]]) -> Callable[..., list[list[str]]]:
    """The `extract` of a rule that looks at one sentence's text and tokens; repeated concepts are dropped."""

    def extract(texts: list[str], sentences: Sentences, tagger: Tagger) -> list[list[str]]:
        return [list(dict.fromkeys(concepts_of(*pair))) for pair in zip(texts, sentences, strict=True)]

    return extract
