"""Filter `not_declarative`: sentences that do not end in `다.` (Korean CommonGen, section 3.1)."""

from dataclasses import dataclass
from typing import ClassVar

from conceptloom.filters.base import FILTERS, KEEP, FilterEntry, Subject, Verdict


@dataclass(frozen=True)
class NotDeclarative:
    """Leaves out a text that does not end in `다.`: questions, polite forms in 요, noun phrases without a full stop."""

    subject: ClassVar[Subject] = "text"

    def check(self, subject: str) -> Verdict:
        """Returns the verdict on a normalised text."""
        return KEEP if subject.endswith("다.") else Verdict(False, "not_declarative", subject[-4:])


FILTERS.add("not_declarative", FilterEntry("sentences that do not end in `다.`", NotDeclarative))
