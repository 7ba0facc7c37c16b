"""Filters `digits`, `foreign` and `symbols`: what no published sentence may hold (Korean CommonGen, section 3.1)."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.columns import truths
from conceptloom.arrays.types import Bool
from conceptloom.errors import ConfigError
from conceptloom.filters.base import FILTERS, KEEP, FilterEntry, Subject, Verdict

_PLAIN = r"^[가-힣 ,]*\.?$"
_FOREIGN = r"[^\W\d_가-힣]"
"""A letter of another script, or a single jamo."""


def are_plain(column: pa.Array) -> Bool:
    """Returns which texts are syllables, spaces, commas and a final full stop, as most are: no filter here objects."""
    return truths(pc.match_substring_regex(column, _PLAIN))


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

    passes = staticmethod(are_plain)
    """See QuickFilter; the same look for all filters of this module."""


@dataclass(frozen=True)
class Foreign:
    """Leaves out a text with letters of another script, or single jamo, except for the words `allow`, in any case.

    A word is a run of such letters, so `TV` allows TV, tv and TV모니터, but not TVN.
    """

    allow: tuple[str, ...] = ()
    subject: ClassVar[Subject] = "text"

    def __post_init__(self) -> None:
        wrong = [word for word in self.allow if not re.fullmatch(f"{_FOREIGN}+", word)]
        if wrong:
            raise ConfigError(f"{wrong[0]!r} in allow is not a word of letters of another script")

    def check(self, subject: str) -> Verdict:
        """Returns the verdict on a normalised text; the detail is the first word that is not allowed."""
        found = _foreign_but(self.allow).search(subject)
        return Verdict(False, "foreign", found.group()) if found else KEEP

    passes = staticmethod(are_plain)
    """See QuickFilter; the same look for all filters of this module."""


@lru_cache
def _foreign_but(allowed: tuple[str, ...]) -> re.Pattern[str]:
    """Returns the pattern of a word of foreign letters that is none of these."""
    others = f"(?!(?:{'|'.join(allowed)})(?!{_FOREIGN}))" if allowed else ""
    return re.compile(f"(?<!{_FOREIGN}){others}{_FOREIGN}+", re.IGNORECASE)


def _add(name: str, summary: str, pattern: str) -> None:
    made = Characters(name, re.compile(pattern))
    FILTERS.add(name, FilterEntry(summary, lambda: made))


_add("digits", "sentences with a digit of any script", r"\d+")
FILTERS.add("foreign", FilterEntry("sentences with letters of another script, or single jamo", Foreign))
_add("symbols", "sentences with a sign other than comma, final full stop and space", r"(?:[^\w\s.,]|_|\.(?!$))+")
