"""Filter `few_concepts`: sentences without enough concepts to combine."""

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from conceptloom.arrays.lists import list_sizes
from conceptloom.arrays.types import Bool
from conceptloom.filters.base import FILTERS, KEEP, FilterEntry, Subject, Verdict


@dataclass(frozen=True)
class FewConcepts:
    """Leaves out a sentence with fewer concepts than `minimum` (9 of 21,593 published sets have fewer than three)."""

    minimum: int = 3
    subject: ClassVar[Subject] = "concepts"

    def check(self, subject: list[str]) -> Verdict:
        """Returns the verdict on a sentence's concepts."""
        return KEEP if len(subject) >= self.minimum else Verdict(False, "few_concepts", f"{len(subject)} concepts")

    def passes(self, column: pa.ListArray) -> Bool:
        """See QuickFilter."""
        return list_sizes(column) >= self.minimum


FILTERS.add("few_concepts", FilterEntry("sentences without enough concepts", FewConcepts))
