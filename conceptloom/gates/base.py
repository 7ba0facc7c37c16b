"""What gates work with: a finished build, and a verdict for each thing that a gate measures."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pyarrow as pa

from conceptloom import storage
from conceptloom.errors import InputError
from conceptloom.manifest import Manifest, missing_files, read_manifest
from conceptloom.splits import SPLIT_NAMES
from conceptloom.splits.policies import Policy
from conceptloom.splits.train_sets import TrainPolicy
from conceptloom.tables import read_table

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


@dataclass(frozen=True)
class Finished:
    """A finished build: its manifest, its report, and its published files."""

    directory: str
    manifest: Manifest
    report: dict[str, Any]

    def files(self, split: str) -> list[dict[str, Any]]:
        """The manifest's entries of the published files of a split, in data/ and in published/."""
        starts = (f"data/{split}-", f"published/{split}-")
        return [file for file in self.manifest.files if file["path"].startswith(starts)]

    def rows(self) -> dict[str, int]:
        """The number of rows of each split."""
        return {split: sum(file["rows"] for file in self._data(split)) for split in SPLIT_NAMES.values()}

    def tables(self, split: str, columns: list[str]) -> Iterator[pa.Table]:
        """The rows of a split (schema DATA), file by file. Memory: one file."""
        for file in self._data(split):
            yield read_table(storage.join(self.directory, file["path"]), columns)

    def _data(self, split: str) -> list[dict[str, Any]]:
        return [file for file in self.files(split) if file["path"].startswith("data/")]


@dataclass(frozen=True)
class Case:
    """What is judged: a build, the current one to compare it with (None for the first), and its split policy."""

    build: Finished
    current: Finished | None
    policy: Policy | TrainPolicy


def read_finished(directory: str) -> Finished:
    """The finished build in a directory; raises InputError where there is none, or a file of it is gone."""
    manifest, report = read_manifest(directory), storage.join(directory, "report.json")
    if manifest is None or not storage.exists(report):
        raise InputError(f"{directory} holds no finished build: build it to its end first")
    missing = missing_files(manifest, directory)
    if missing:
        raise InputError(f"{directory}: {missing[0]} is gone or has another size: build it again")
    try:
        return Finished(directory, manifest, json.loads(storage.read_bytes(report)))
    except ValueError as error:
        raise InputError(f"{report} is not JSON ({error}): build it again") from None


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
