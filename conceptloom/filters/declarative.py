"""Filter `not_declarative`: sentences that do not end in `다.` (Korean CommonGen, section 3.1)."""

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.columns import truths
from conceptloom.arrays.types import Bool
from conceptloom.filters.base import FILTERS, KEEP, FilterEntry, Subject, Verdict

ENDING = "다."


@dataclass(frozen=True)
class NotDeclarative:
    """Leaves out a text that does not end in `다.`: questions, polite forms in 요, noun phrases without a full stop."""

    subject: ClassVar[Subject] = "text"

    def check(self, subject: str) -> Verdict:
        """Returns the verdict on a normalised text."""
        return KEEP if subject.endswith(ENDING) else Verdict(False, "not_declarative", subject[-4:])

    def passes(self, column: pa.Array) -> Bool:
        """See QuickFilter."""
        return truths(pc.ends_with(column, ENDING))


FILTERS.add("not_declarative", FilterEntry("sentences that do not end in `다.`", NotDeclarative))
