"""Filter `length`: too short or too long for an everyday sentence (measured on the published data)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.types import Bool
from conceptloom.filters.base import FILTERS, KEEP, FilterEntry, Subject, Verdict


@dataclass(frozen=True)
class Length:
    """Leaves out a text outside these bounds, in characters and in eojeol (white-space tokens), both inclusive."""

    minimum_characters: int = 10
    maximum_characters: int = 65
    minimum_eojeol: int = 2
    maximum_eojeol: int = 19
    subject: ClassVar[Subject] = "text"

    def check(self, subject: str) -> Verdict:
        """Returns the verdict on a normalised text (single spaces)."""
        characters, eojeol = len(subject), subject.count(" ") + 1
        if not self.minimum_characters <= characters <= self.maximum_characters:
            return Verdict(False, "length", f"{characters} characters")
        if not self.minimum_eojeol <= eojeol <= self.maximum_eojeol:
            return Verdict(False, "length", f"{eojeol} eojeol")
        return KEEP

    def passes(self, column: pa.Array) -> Bool:
        """See QuickFilter."""
        characters, spaces = pc.utf8_length(column).to_numpy(), pc.count_substring(column, " ").to_numpy()
        within = (self.minimum_characters <= characters) & (characters <= self.maximum_characters)
        return np.asarray(within & (self.minimum_eojeol <= spaces + 1) & (spaces + 1 <= self.maximum_eojeol))


FILTERS.add("length", FilterEntry("sentences outside the bounds of characters and eojeol", Length))
