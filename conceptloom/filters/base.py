"""What a sentence filter is: a predicate of one sentence, or a block filter that judges many sentences at once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import pyarrow as pa

from conceptloom.arrays.types import Bool
from conceptloom.json_values import JsonObject
from conceptloom.languages.korean.token_table import TokenTable
from conceptloom.options import with_options
from conceptloom.registry import Registry

Subject = Literal["text", "tokens", "concepts"]
SUBJECTS: tuple[Subject, ...] = ("text", "tokens", "concepts")
Part: TypeAlias = Any
"""What a filter looks at, by its `subject`: a text (str), tokens (list[Token]) or concepts (list[str])."""
PartColumn: TypeAlias = pa.Array | TokenTable
"""That part of many sentences: an array of strings, a table of tokens, or an array of lists of strings."""


class Verdict(NamedTuple):
    """Whether a sentence may stay; if not, a stable reason that the ledger counts, and what was found."""

    keep: bool
    reason: str = ""
    detail: str = ""


KEEP = Verdict(True)


@runtime_checkable
class Filter(Protocol):
    """A predicate over one sentence's text, tokens or concepts: a frozen dataclass of its options.

    Filters on the text run before the sentence is tagged, so that no time is spent on tagging what is left out.
    """

    subject: ClassVar[Subject]

    def check(self, subject: Part) -> Verdict:
        """Returns the verdict on one sentence; `subject` is the part of it that this filter looks at."""


@runtime_checkable
class QuickFilter(Filter, Protocol):
    """A predicate that also looks over many sentences at once."""

    def passes(self, column: PartColumn) -> Bool:
        """Returns which sentences `check` certainly keeps, shape (sentences,): only the others are given to it."""


class OpenFilter(Protocol):
    """A block filter that has all it needs, a model for instance; it stays in the process that opened it."""

    def verdicts(self, subjects: Sequence[Part]) -> list[Verdict]:
        """Returns the verdict on each sentence, length len(subjects).

        A verdict must not depend on which other sentences it is given with, or in what order.
        """


@runtime_checkable
class Signed(Protocol):
    """A filter whose verdicts depend on more than its options and its code: on a model, or a list in a file."""

    def signature(self) -> JsonObject:
        """Returns what the verdicts depend on: name, version, options, hashes of files (not paths). Opens nothing.

        It is part of the stage's fingerprint. Raises ConfigError where a file is missing.
        """


@runtime_checkable
class BlockFilter(Signed, Protocol):
    """A filter that judges many sentences at once: a frozen dataclass of its options, opened once in a process.

    It is asked after all predicates of the same subject, about what these keep.
    """

    subject: ClassVar[Subject]

    def open(self) -> OpenFilter:
        """Returns the filter with what it needs; raises ConfigError where that is missing or damaged."""


AnyFilter: TypeAlias = Filter | BlockFilter


@dataclass(frozen=True)
class FilterEntry:
    """A filter that can be named: `make` is a frozen dataclass whose fields are its options. The name is the reason."""

    summary: str
    make: Callable[..., AnyFilter]


FILTERS: Registry[FilterEntry] = Registry("filter", "conceptloom.filters", FilterEntry)


def make_filter(name: str, options: Mapping[str, object] | None = None) -> AnyFilter:
    """Returns the filter of that name with these options, not opened; raises ConfigError for an unknown option."""
    return with_options(FILTERS[name].make, options or {}, f"filter {name}")


def first_objection(filters: Sequence[Filter], subject: Part) -> Verdict:
    """Returns the verdict of the first filter that does not keep the sentence, or KEEP."""
    for one in filters:
        verdict = one.check(subject)
        if not verdict.keep:
            return verdict
    return KEEP
