"""What a sentence filter is: a pure predicate that answers (keep, reason)."""

from dataclasses import dataclass, fields, is_dataclass
from itertools import chain, groupby
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

from conceptloom.errors import ConfigError
from conceptloom.registry import Registry

Subject = Literal["text", "tokens", "concepts"]
SUBJECTS: tuple[Subject, ...] = ("text", "tokens", "concepts")


class Verdict(NamedTuple):
    """Whether a sentence may stay; if not, a stable reason that the ledger counts, and what was found."""

    keep: bool
    reason: str = ""
    detail: str = ""


KEEP = Verdict(True)


class Filter(Protocol):
    """A predicate over one sentence's text, tokens or concepts: a frozen dataclass of its options.

    Filters on the text run before the sentence is tagged, so that no time is spent on what is left out anyhow.
    """

    subject: ClassVar[Subject]

    def check(self, subject: Any) -> Verdict:
        """The verdict on one sentence, of which `subject` is the part that this filter looks at."""


@dataclass(frozen=True)
class FilterEntry:
    """A filter that can be named: `make` is a frozen dataclass whose fields are its options. The name is the reason."""

    summary: str
    make: Any


FILTERS: Registry[FilterEntry] = Registry("filter", "conceptloom.filters", FilterEntry)


def make_filter(name: str, options: dict[str, Any] | None = None) -> Filter:
    """The filter of that name with these options; raises ConfigError for an option it does not have."""
    entry = FILTERS[name]
    known = {field.name: field.default for field in fields(entry.make)} if is_dataclass(entry.make) else {}
    for option, value in (options or {}).items():
        if option not in known:
            raise ConfigError(f"filter {name} has no option {option!r}; it has: {', '.join(sorted(known)) or 'none'}")
        if type(value) is not type(known[option]):
            raise ConfigError(f"filter {name}: {option} is a {type(known[option]).__name__}, not {value!r}")
    made: Filter = entry.make(**(options or {}))
    return made


def joined(filters: tuple[Filter, ...]) -> tuple[Filter, ...]:
    """The same filters, with neighbours of one kind asked in one pass where their class can do that (`joined`)."""
    groups = ((kind, tuple(members)) for kind, members in groupby(filters, key=type))
    parts = ((kind.joined(members),) if hasattr(kind, "joined") else members for kind, members in groups)
    return tuple(chain.from_iterable(parts))


def first_objection(filters: tuple[Filter, ...], subject: Any) -> Verdict:
    """The verdict of the first filter that does not keep the sentence, or KEEP."""
    for one in filters:
        verdict = one.check(subject)
        if not verdict.keep:
            return verdict
    return KEEP
