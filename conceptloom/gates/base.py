"""What gates work with: a finished build, and a verdict for each thing that a gate measures."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import pyarrow as pa

from conceptloom.json_values import JsonObject

FIRST = "the first build"
"""What a gate measures that compares with the current build, where there is none."""


@dataclass(frozen=True)
class Verdict:
    """What one gate measured of one thing, and whether that is within the limit. `note` says where to look."""

    gate: str
    of: str
    limit: str
    measured: str
    passed: bool
    note: str = ""


class Build(Protocol):
    """What gates ask of a finished build."""

    @property
    def directory(self) -> str:
        """Where it is."""

    @property
    def report(self) -> JsonObject:
        """What report.json holds."""

    def files(self, folder: str, split: str = "") -> list[JsonObject]:
        """The manifest's entries of the files in a folder, of one split where it is named."""

    def rows(self) -> dict[str, int]:
        """The number of rows of each split."""

    def tables(self, split: str, columns: list[str] | None = None) -> Iterator[pa.Table]:
        """The rows of a split, file by file."""


@dataclass(frozen=True)
class Case:
    """What is judged: a build, the current one to compare it with (None for the first), and what its splits promise."""

    build: Build
    current: Build | None
    leaks: Callable[[Build], "list[Verdict]"]
    """What the gate `leak` finds in a build: the recipe says it."""


def at_most(part: int, whole: int, share: float) -> bool:
    """Whether `part` is at most this share of `whole`, exactly as the share is written.

    >>> at_most(29, 100, 0.29), 29 <= 0.29 * 100
    (True, False)
    """
    return part <= Fraction(str(share)) * whole


def percent(part: int, whole: int) -> str:
    """A share as text, in per cent.

    >>> percent(1, 3)
    '33.33 %'
    """
    return f"{100 * part / max(1, whole):.2f} %"
