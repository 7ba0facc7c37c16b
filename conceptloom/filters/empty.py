"""Filter `empty`: a record whose text has no character left."""

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.columns import truths
from conceptloom.arrays.types import Bool
from conceptloom.filters.base import FILTERS, KEEP, FilterEntry, Subject, Verdict


@dataclass(frozen=True)
class Empty:
    """Leaves out a text without any character: a blank line, an empty field."""

    subject: ClassVar[Subject] = "text"

    def check(self, subject: str) -> Verdict:
        """Returns the verdict on a normalised text."""
        return KEEP if subject else Verdict(False, "empty")

    def passes(self, column: pa.Array) -> Bool:
        """See QuickFilter."""
        return truths(pc.greater(pc.binary_length(column), 0))


FILTERS.add("empty", FilterEntry("texts without any character", Empty))
