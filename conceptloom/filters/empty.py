"""Filter `empty`: a record whose text has no character left."""

from dataclasses import dataclass
from typing import ClassVar

from conceptloom.filters.base import FILTERS, KEEP, FilterEntry, Subject, Verdict


@dataclass(frozen=True)
class Empty:
    """Leaves out a text without any character: a blank line, an empty field."""

    subject: ClassVar[Subject] = "text"

    def check(self, subject: str) -> Verdict:
        """Returns the verdict on a normalised text."""
        return KEEP if subject else Verdict(False, "empty")


FILTERS.add("empty", FilterEntry("texts without any character", Empty))
