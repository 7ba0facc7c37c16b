"""Filters `proper_noun`, `pronoun`, `numeral` and `vocative`: by exact tag (Korean CommonGen, section 3.1).

The published data holds compound tags (`누가` NP+JKS) and numerals, so only the whole tag counts, and `numeral` belongs
to the preset `paper` alone.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from conceptloom.arrays.types import Bool
from conceptloom.filters.base import FILTERS, KEEP, FilterEntry, Subject, Verdict
from conceptloom.languages.korean.token_table import TokenTable
from conceptloom.languages.korean.tokens import Token


@dataclass(frozen=True)
class ExactTag:
    """Leaves out a sentence with a token tagged exactly `tag`; the detail is its surface."""

    reason: str
    tag: str
    subject: ClassVar[Subject] = "tokens"

    def check(self, subject: list[Token]) -> Verdict:
        """Returns the verdict on a sentence's tokens."""
        for token in subject:
            if token.tag == self.tag:
                return Verdict(False, self.reason, token.surface)
        return KEEP

    def passes(self, column: TokenTable) -> Bool:
        """See QuickFilter."""
        passed = np.ones(len(column), dtype=np.bool_)
        passed[column.rows[column.tagged([self.tag])]] = False
        return passed


def _add(name: str, tag: str, summary: str) -> None:
    made = ExactTag(name, tag)
    FILTERS.add(name, FilterEntry(summary, lambda: made))


_add("proper_noun", "NNP", "sentences with a proper noun (tag NNP)")
_add("pronoun", "NP", "sentences with a pronoun (tag NP)")
_add("numeral", "NR", "sentences with a numeral (tag NR)")
_add("vocative", "JKV", "sentences with a vocative particle (tag JKV)")
