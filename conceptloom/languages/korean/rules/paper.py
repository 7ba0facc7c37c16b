"""Rule `paper`: the tag list of Korean CommonGen, section 3.1, taken literally."""

import numpy as np
import pyarrow as pa

from conceptloom.languages.korean.rules.base import RULES, Rule, concept_lists
from conceptloom.languages.korean.taggers.base import Tagger
from conceptloom.languages.korean.token_table import TokenTable
from conceptloom.languages.korean.tokens import Token

PAPER_TAGS = frozenset(
    ["NNG", "NNP", "NNB", "NNBC", "NR", "NP", "MM", "MAG", "MAJ", "VV", "VA", "VX", "VCP", "VCN", "XR", "IC"]
)


def _is_listed(tag: str) -> bool:
    return tag.partition("+")[0] in PAPER_TAGS


def paper(text: str, tokens: list[Token]) -> list[str]:
    """Returns every token whose (first) tag is in the paper's list, one by one; nouns are not joined."""
    return [token.surface for token in tokens if _is_listed(token.tag)]


def extract(texts: list[str], table: TokenTable, tagger: Tagger) -> pa.ListArray:
    """Returns what `paper` finds in each sentence, each concept once."""
    places = np.flatnonzero(table.tagged(filter(_is_listed, table.columns.tag_names)))
    codes = table.surfaces[places].astype(np.int64)
    return concept_lists(codes, table.columns.surface_names, table.rows[places], len(table))


RULES.add("paper", Rule("every token with a tag of the paper's list (matches few published sets)", extract))
