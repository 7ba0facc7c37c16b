"""Filters `digits`, `foreign` and `symbols`: what no published sentence may hold (Korean CommonGen, section 3.1)."""

import re
from dataclasses import dataclass
from typing import ClassVar

from conceptloom.filters.base import FILTERS, KEEP, FilterEntry, Subject, Verdict, first_objection

_PLAIN = re.compile(r"[가-힣 ,]*\.?").fullmatch


@dataclass(frozen=True)
class Characters:
    """Leaves out a text in which `pattern` is found; the detail is what was found."""

    reason: str
    pattern: re.Pattern[str]
    subject: ClassVar[Subject] = "text"

    def check(self, subject: str) -> Verdict:
        """Returns the verdict on a normalised text."""
        found = self.pattern.search(subject)
        return Verdict(False, self.reason, found.group()) if found else KEEP

    @staticmethod
    def joined(filters: "tuple[Characters, ...]") -> "AllCharacters":
        """Returns several of them as one; most texts need none of them."""
        return AllCharacters(filters)


@dataclass(frozen=True)
class AllCharacters:
    """Leaves out what one of the filters leaves out, for the reason of the first that does.

    No pattern here finds anything in a text of syllables, spaces, commas and a final full stop, as most texts are.
    """

    filters: tuple[Characters, ...]
    subject: ClassVar[Subject] = "text"

    def check(self, subject: str) -> Verdict:
        """Returns the verdict on a normalised text."""
        return KEEP if _PLAIN(subject) else first_objection(self.filters, subject)


def _add(name: str, summary: str, pattern: str) -> None:
    made = Characters(name, re.compile(pattern))
    FILTERS.add(name, FilterEntry(summary, lambda: made))


_add("digits", "sentences with a digit of any script", r"\d+")
_add("foreign", "sentences with letters of another script, or single jamo", r"[^\W\d_가-힣]+")
_add("symbols", "sentences with a sign other than comma, final full stop and space", r"(?:[^\w\s.,]|_|\.(?!$))+")
