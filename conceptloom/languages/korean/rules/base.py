"""The contract of a concept rule, which extracts the concepts of tagged sentences.

Of arrays only the types are named here: a command that looks at one sentence does not load them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from conceptloom.languages.korean.taggers.base import Tagger
from conceptloom.languages.korean.tokens import Token
from conceptloom.registry import Registry

if TYPE_CHECKING:
    import pyarrow as pa

    from conceptloom.languages.korean.token_table import TokenTable

Block = Callable[[list[str], "TokenTable", Tagger], "pa.ListArray"]


@dataclass(frozen=True)
class Rule:
    """A registered concept rule.

    `concepts` takes texts, the tokens of each, and the tagger (for a rule that tags pieces by themselves). It returns
    the concepts of each sentence, distinct and in the order of the text. `block` finds the same in a table of tokens,
    many sentences at a time, for a rule that is to be fast.
    """

    summary: str
    concepts: Callable[[list[str], list[list[Token]], Tagger], list[list[str]]]
    block: Block | None = None

    def extract(self, texts: list[str], table: "TokenTable", tagger: Tagger) -> "pa.ListArray":
        """Returns the concepts of each sentence of a block: lists of strings, or of places in a dictionary of them."""
        if self.block is not None:
            return self.block(texts, table, tagger)
        from conceptloom.arrays.lists import string_lists

        return string_lists(self.concepts(texts, list(table), tagger))


RULES: Registry[Rule] = Registry("concept rule", "conceptloom.rules", Rule)


def by_sentence(concepts_of: Callable[[str, list[Token]], list[str]]) -> Callable[..., list[list[str]]]:
    """Returns the `concepts` of a rule on the text and tokens of one sentence; it drops repeated concepts."""

    def concepts(texts: list[str], sentences: list[list[Token]], tagger: Tagger) -> list[list[str]]:
        return [list(dict.fromkeys(concepts_of(*pair))) for pair in zip(texts, sentences, strict=True)]

    return concepts


def in_blocks(name: str) -> Block:
    """Returns the `block` of that name in the module `blocks`, which is imported with the first call."""

    def block(texts: list[str], table: "TokenTable", tagger: Tagger) -> "pa.ListArray":
        found = cast(Block, getattr(import_module("conceptloom.languages.korean.rules.blocks"), name))
        return found(texts, table, tagger)

    return block
