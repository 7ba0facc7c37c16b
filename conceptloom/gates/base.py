"""The types that gates share: a finished build, and a verdict for each thing that a gate measures."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import pyarrow as pa

from conceptloom.json_values import JsonObject

FIRST = "the first build"
"""The measure of a gate that compares with the current build, if there is none."""


@dataclass(frozen=True)
class Verdict:
    """What one gate measured of one thing, and whether it is within the limit. `note` says where to look."""

    gate: str
    of: str
    limit: str
    measured: str
    passed: bool
    note: str = ""


class Build(Protocol):
    """What gates need of a finished build."""

    @property
    def directory(self) -> str:
        """Its directory."""

    @property
    def report(self) -> JsonObject:
        """The content of report.json."""

    def files(self, folder: str, split: str = "") -> list[JsonObject]:
        """Returns the manifest's entries for the files in a folder; only those of one split if it is named."""

    def rows(self) -> dict[str, int]:
        """Returns the number of rows of each split."""

    def tables(self, split: str, columns: list[str] | None = None) -> Iterator[pa.Table]:
        """Yields the rows of a split, file by file."""


@dataclass(frozen=True)
class Case:
    """What is judged: a build, the current one to compare it with (None for the first), and the recipe's leak check."""

    build: Build
    current: Build | None
    leaks: Callable[[Build], "list[Verdict]"]
    """Returns the verdicts of the gate `leak`, as the recipe defines it."""


def at_most(part: int, whole: int, share: float) -> bool:
    """Returns whether `part` is at most this share of `whole`, taking the share exactly as it is written.

    >>> at_most(29, 100, 0.29), 29 <= 0.29 * 100
    (True, False)
    """
    return part <= Fraction(str(share)) * whole


def percent(part: int, whole: int) -> str:
    """Returns a share as text, in per cent.

    >>> percent(1, 3)
    '33.33 %'
    """
    return f"{100 * part / max(1, whole):.2f} %"
