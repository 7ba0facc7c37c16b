"""Rules made of noun chains: `published` (found by measuring 45,228 published sets), `exact` and `free-morpheme`."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from conceptloom.arrays.building import text_array
from conceptloom.arrays.runs import run_starts
from conceptloom.arrays.types import Int8, Int64
from conceptloom.languages.korean.rules.base import RULES, Rule, concept_lists
from conceptloom.languages.korean.rules.joins import (
    Chains,
    all_by_first_occurrence,
    all_in_place,
    join_by_first_occurrence,
    join_in_place,
)
from conceptloom.languages.korean.taggers.base import Tagger
from conceptloom.languages.korean.token_table import TokenTable
from conceptloom.languages.korean.tokens import Kind, Token
from conceptloom.languages.korean.vocabulary import KINDS, TokenColumns

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


@dataclass(frozen=True)
class ChainRule:
    """What `published`, `exact` and `free_morpheme` do with a sentence, for all sentences of a block at once.

    `closed` says that the last token, and a chain that reaches it, are ignored.
    """

    join: Callable[[list[str], TokenTable, Chains], list[str]]
    words: frozenset[Kind]
    closed: bool = False

    def __call__(self, texts: list[str], table: TokenTable, tagger: Tagger) -> pa.ListArray:
        """See Rule."""
        kinds, rows, codes = table.kinds, table.rows, table.surfaces.astype(np.int64)
        if self.closed:
            kinds[_last_places(table)] = KINDS.index("")
        chains = self._chains(kinds, rows, table)
        is_concept = np.isin(kinds, [KINDS.index(kind) for kind in self.words])
        is_concept[chains.starts] = True
        long = chains.where(chains.sizes > 1)
        codes[long.starts], names = _coded(self.join(texts, table, long), table.columns)
        return concept_lists(codes[is_concept], names, rows[is_concept], len(table))

    def _chains(self, kinds: Int8, rows: Int64, table: TokenTable) -> Chains:
        is_noun = kinds == KINDS.index("noun")
        starts = run_starts(2 * rows + is_noun)
        runs = Chains(rows[starts], starts, np.diff(starts, append=len(rows)))
        chains = runs.where(is_noun[starts])
        return (
            chains.where(np.isin(chains.starts + chains.sizes, _last_places(table), invert=True))
            if self.closed
            else chains
        )


def _last_places(table: TokenTable) -> Int64:
    """Returns the place of the last token of each sentence that has any."""
    return table.numbers.offsets[1:][table.numbers.sizes > 0] - 1


def _coded(names: list[str], columns: TokenColumns) -> tuple[Int64, pa.StringArray]:
    """Returns the codes of names, and the names of all codes: first those of the surfaces, then what is new."""
    known = columns.surface_codes
    fresh: dict[str, int] = {}
    codes = list(map(known.get, names))
    for place in [place for place, code in enumerate(codes) if code is None]:
        codes[place] = fresh.setdefault(names[place], len(known) + len(fresh))
    return np.array(codes, dtype=np.int64), pa.concat_arrays([columns.surface_names, text_array(fresh)])


PUBLISHED = ChainRule(all_by_first_occurrence, ALL_WORDS, closed=True)
EXACT = ChainRule(all_in_place, ALL_WORDS)
FREE_MORPHEME = ChainRule(all_by_first_occurrence, MODIFIERS)

RULES.add("published", Rule("as the published data set: noun chains, modifiers, verbs (default)", PUBLISHED))
RULES.add("exact", Rule("as published, noun chains from their own places, also the last one", EXACT))
RULES.add("free-morpheme", Rule("noun chains and modifiers only (ablation, section 6.1)", FREE_MORPHEME))
