"""What changed between two builds: rows with the reason from the ledgers, statistics, ledgers, settings."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from conceptloom import storage
from conceptloom.comparison import DIFFERENCES, SortedFiles, Tally, compare_rows, id_bounds
from conceptloom.current import build_at
from conceptloom.errors import InputError
from conceptloom.manifest import Manifest, missing_files, read_manifest
from conceptloom.schemas import DATA, REJECTED

SPLITS = ("train", "validation", "test")
ROWS_AT_ONCE = 200_000
"""Rows of both builds in a range of ids: some hundred megabytes."""

_SPLIT = pa.field("split", pa.string())
_REASONS = pa.schema([REJECTED.field(name) for name in ("id", "stage", "reason", "detail")])
_NO_SENTENCE = ("reason", "duplicate")
"""A duplicate has the id of the sentence that it is a copy of: what became of that one is said elsewhere."""


@dataclass(frozen=True)
class Built:
    """A finished build."""

    directory: str
    manifest: Manifest
    report: dict[str, Any]

    def files(self, folder: str, split: str = "") -> list[dict[str, Any]]:
        """The entries of a folder's Parquet files, in the order of their names."""
        found = [file for file in self.manifest.files if file["path"].startswith(f"{folder}/{split}")]
        return sorted(found, key=lambda file: file["path"])

    def about(self) -> dict[str, Any]:
        """What names the build, as JSON values."""
        rows = {split: sum(file["rows"] for file in self.files("data", f"{split}-")) for split in SPLITS}
        return {"directory": self.directory, "version": self.report.get("version"), "rows": rows}

    def settings(self) -> dict[str, Any]:
        """All that the build was made by, by dotted key: its settings, and what its report names."""
        named = {name: self.report.get(name) for name in ("version", "tagger", "scorer", "inputs")}
        return dict(_flat({**self.manifest.settings, "report": named}))


def open_built(directory: str) -> Built:
    """A finished build, or what a name of the current one points at; raises InputError where there is none."""
    directory = build_at(directory)
    manifest = read_manifest(directory)
    if manifest is None or missing_files(manifest, directory):
        raise InputError(f"{directory} holds no finished build: build it to its end, or check the path")
    path = storage.join(directory, "report.json")
    try:
        return Built(directory, manifest, dict(json.loads(storage.read_bytes(path))))
    except ValueError as error:
        raise InputError(f"{path} is not a report ({error}): build {directory} again") from None


def diff_builds(old: Built, new: Built, examples: int, listing: str | None = None) -> dict[str, Any]:
    """What changed, as JSON values; every difference of rows is written to the Parquet file `listing`, if it is named.

    Memory: the rows of one range of ids. A split whose files are the same bytes is not read.
    """
    tally = Tally(examples)
    same = [split for split in SPLITS if _digests(old, split) == _digests(new, split)]
    with _listing(listing) as write:
        for before, after, differences in _ranges(old, new, [split for split in SPLITS if split not in same]):
            tally.add(differences, before, after)
            write(differences)
    found = tally.to_json()
    return {
        "same": not any(found["kinds"].values()),
        "old": old.about(),
        "new": new.about(),
        "same_files": [split for split in same if new.files("data", f"{split}-")],
        **found,
        "statistics": {"old": old.report.get("statistics", {}), "new": new.report.get("statistics", {})},
        "stages": {"old": old.report.get("stages", {}), "new": new.report.get("stages", {})},
        "settings": _changed(old.settings(), new.settings()),
    }


def _digests(built: Built, split: str) -> list[str]:
    return [file["blake2b"] for file in built.files("data", f"{split}-")]


def _ranges(old: Built, new: Built, splits: list[str]) -> Iterator[tuple[pa.Table, pa.Table, pa.Table]]:
    """The rows of both builds in each range of ids, and how they differ."""
    if not splits:
        return
    readers = [_Rows(built, splits) for built in (old, new)]
    for bound in id_bounds(sum(reader.rows for reader in readers), ROWS_AT_ONCE):
        (before, left_out), (after, left_out_now) = (reader.below(bound) for reader in readers)
        yield before, after, compare_rows(before, after, left_out, left_out_now)


class _Rows:
    """The rows of a build, and what it left out, range by range."""

    def __init__(self, built: Built, splits: list[str]) -> None:
        files = {split: built.files("data", f"{split}-") for split in splits}
        rejected = built.files("rejected")
        self.rows = sum(file["rows"] for found in [*files.values(), rejected] for file in found)
        self._splits = {split: SortedFiles(_paths(built, found), DATA) for split, found in files.items()}
        by_stage: dict[str, list[dict[str, Any]]] = {}
        for file in rejected:
            by_stage.setdefault(file["path"].split("-")[0], []).append(file)
        self._rejected = [SortedFiles(_paths(built, found), _REASONS, _NO_SENTENCE) for found in by_stage.values()]

    def below(self, bound: str) -> tuple[pa.Table, pa.Table]:
        parts = [DATA.append(_SPLIT).empty_table()]
        for split, files in self._splits.items():
            rows = files.below(bound)
            parts.append(rows.append_column(_SPLIT, pa.repeat(split, len(rows))))
        rejected = [_REASONS.empty_table(), *(files.below(bound) for files in self._rejected)]
        return pa.concat_tables(parts).combine_chunks(), pa.concat_tables(rejected).combine_chunks()


def _paths(built: Built, files: list[dict[str, Any]]) -> list[str]:
    return [storage.join(built.directory, file["path"]) for file in files]


@contextmanager
def _listing(path: str | None) -> Iterator[Callable[[pa.Table], None]]:
    """What writes differences to the Parquet file `path`; to nothing where none is named."""
    if path is None:
        yield lambda differences: None
        return
    with storage.atomic_path(path) as temporary, pq.ParquetWriter(temporary, DIFFERENCES, compression="zstd") as writer:
        # A file of all differences has no empty row groups.
        yield lambda differences: writer.write_table(differences) if len(differences) else None


def _flat(values: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of nested mappings by dotted key."""
    if not isinstance(values, dict):
        yield key, values
        return
    for name, value in values.items():
        yield from _flat(value, f"{key}.{name}" if key else name)


def _changed(old: dict[str, Any], new: dict[str, Any]) -> list[dict[str, Any]]:
    keys = sorted(old.keys() | new.keys())
    return [{"key": key, "old": old.get(key), "new": new.get(key)} for key in keys if old.get(key) != new.get(key)]
