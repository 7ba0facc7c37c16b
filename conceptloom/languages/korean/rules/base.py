"""The contract of a concept rule, which extracts the concepts of tagged sentences."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from conceptloom.arrays.lists import list_array, offsets_of, string_lists
from conceptloom.arrays.runs import equal_runs
from conceptloom.arrays.types import Int64
from conceptloom.languages.korean.taggers.base import Tagger
from conceptloom.languages.korean.token_table import TokenTable
from conceptloom.languages.korean.tokens import Token
from conceptloom.registry import Registry


@dataclass(frozen=True)
class Rule:
    """A registered concept rule.

    `extract` takes the texts of a block of sentences, their tokens, and the tagger (for a rule that tags pieces by
    themselves). It returns the concepts of each sentence, distinct and in the order of the text: lists of strings, be
    they strings themselves or places in a dictionary.
    """

    summary: str
    extract: Callable[[list[str], TokenTable, Tagger], pa.ListArray]


RULES: Registry[Rule] = Registry("concept rule", "conceptloom.rules", Rule)


def by_sentence(concepts_of: Callable[[str, list[Token]], list[str]]) -> Callable[..., pa.ListArray]:
    """Returns the `extract` of a rule on the text and tokens of one sentence; it drops repeated concepts."""

    def extract(texts: list[str], sentences: TokenTable, tagger: Tagger) -> pa.ListArray:
        return string_lists([list(dict.fromkeys(concepts_of(*pair))) for pair in zip(texts, sentences, strict=True)])

    return extract


def concept_lists(codes: Int64, names: pa.StringArray, rows: Int64, sentences: int) -> pa.ListArray:
    """Returns the concepts of each sentence, a repeated one at its first place, as lists of places in a dictionary.

    `codes` (places in `names`, which are distinct) and `rows` (the sentence of each, ascending) have one shape.
    """
    runs = equal_runs(rows * len(names) + codes, sentences * len(names))
    first = np.sort(runs.order[runs.starts])
    concepts = pa.DictionaryArray.from_arrays(pa.array(codes[first].astype(np.int32)), names)
    return list_array(concepts, offsets_of(np.bincount(rows[first], minlength=sentences)))
