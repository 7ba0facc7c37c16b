"""The differences between two builds: rows with reasons from the ledgers, statistics, ledgers and settings."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from conceptloom import storage
from conceptloom.comparison import DIFFERENCES, SortedFiles, Tally, compare_rows, id_bounds
from conceptloom.data_set import SPLITS
from conceptloom.errors import InputError
from conceptloom.json_values import JsonObject
from conceptloom.pipelines.builds.finished import FinishedBuild
from conceptloom.schemas import REJECTED

ROWS_AT_ONCE = 200_000
"""Rows of both builds that are compared at a time: a few hundred megabytes."""

_SPLIT = pa.field("split", pa.string())
_REASONS = pa.schema([REJECTED.field(name) for name in ("id", "stage", "reason", "detail")])
_NO_SENTENCE = ("reason", "duplicate")
"""A duplicate has the id of the sentence that it copies, which has rows of its own."""


def about(build: FinishedBuild) -> JsonObject:
    """Returns what identifies a build, as JSON values."""
    return {"directory": build.directory, "version": build.report.get("version"), "rows": build.rows()}


def made_by(build: FinishedBuild) -> JsonObject:
    """Returns how a build was made, by dotted key: its settings and the components that its report names."""
    named = {name: build.report.get(name) for name in ("version", *build.recipe.made_by, "inputs")}
    return dict(_flat({**build.manifest.settings, "report": named}))


def diff_builds(old: FinishedBuild, new: FinishedBuild, examples: int, listing: str | None = None) -> JsonObject:
    """Returns the differences as JSON values; writes every row that differs to the Parquet file `listing`, if given.

    Memory: the rows of one range of ids. A split whose files are identical is not read.
    """
    if old.recipe.name != new.recipe.name:
        raise InputError(
            f"{old.directory} is a build of recipe {old.recipe.name}, {new.directory} of {new.recipe.name}: "
            "their rows cannot be compared"
        )
    rows = old.recipe.rows
    # Before the listing is begun: a report that cannot be read leaves no file behind.
    sides = {"old": about(old), "new": about(new)}
    tally = Tally(examples, rows.compared, rows.headline)
    same = [split for split in SPLITS if _digests(old, split) == _digests(new, split)]
    with _listing(listing) as write:
        for before, after, differences in _ranges(old, new, [split for split in SPLITS if split not in same]):
            tally.add(differences, before, after)
            write(differences)
    found = tally.to_json()
    return {
        "same": not any(found["kinds"].values()),
        **sides,
        "headline": rows.headline,
        "same_files": [split for split in same if new.files("data", split)],
        **found,
        "statistics": {"old": old.report.get("statistics", {}), "new": new.report.get("statistics", {})},
        "stages": {"old": old.report.get("stages", {}), "new": new.report.get("stages", {})},
        "settings": _changed(made_by(old), made_by(new)),
    }


def _digests(build: FinishedBuild, split: str) -> list[str]:
    return [file["blake2b"] for file in build.files("data", split)]


def _ranges(old: FinishedBuild, new: FinishedBuild, splits: list[str]) -> Iterator[tuple[pa.Table, pa.Table, pa.Table]]:
    """Yields, for each range of ids, the rows of both builds and their differences."""
    if not splits:
        return
    compared = old.recipe.rows.compared
    readers = [_Rows(build, splits) for build in (old, new)]
    for bound in id_bounds(sum(reader.rows for reader in readers), ROWS_AT_ONCE):
        (before, left_out), (after, left_out_now) = (reader.below(bound) for reader in readers)
        yield before, after, compare_rows(before, after, left_out, left_out_now, compared)


class _Rows:
    """The rows of a build and its rejected sentences, read range by range."""

    def __init__(self, build: FinishedBuild, splits: list[str]) -> None:
        self._schema = build.recipe.rows.schema
        files = {split: build.files("data", split) for split in splits}
        rejected = build.files("rejected")
        self.rows = sum(file["rows"] for found in [*files.values(), rejected] for file in found)
        self._splits = {split: SortedFiles(_paths(build, found), self._schema) for split, found in files.items()}
        by_stage: dict[str, list[JsonObject]] = {}
        for file in rejected:
            by_stage.setdefault(file["path"].split("-")[0], []).append(file)
        self._rejected = [SortedFiles(_paths(build, found), _REASONS, _NO_SENTENCE) for found in by_stage.values()]

    def below(self, bound: str) -> tuple[pa.Table, pa.Table]:
        parts = [self._schema.append(_SPLIT).empty_table()]
        for split, files in self._splits.items():
            rows = files.below(bound)
            parts.append(rows.append_column(_SPLIT, pa.repeat(split, len(rows))))
        rejected = [_REASONS.empty_table(), *(files.below(bound) for files in self._rejected)]
        return pa.concat_tables(parts).combine_chunks(), pa.concat_tables(rejected).combine_chunks()


def _paths(build: FinishedBuild, files: list[JsonObject]) -> list[str]:
    return [storage.join(build.directory, file["path"]) for file in files]


@contextmanager
def _listing(path: str | None) -> Iterator[Callable[[pa.Table], None]]:
    """Yields a function that writes differences to the Parquet file `path`, or discards them if `path` is None."""
    if path is None:
        yield lambda differences: None
        return
    with storage.atomic_path(path) as temporary, pq.ParquetWriter(temporary, DIFFERENCES, compression="zstd") as writer:
        # Avoids empty row groups.
        yield lambda differences: writer.write_table(differences) if len(differences) else None


def _flat(values: object, key: str = "") -> Iterator[tuple[str, object]]:
    """Yields the leaves of nested mappings with their dotted keys."""
    if not isinstance(values, dict):
        yield key, values
        return
    for name, value in values.items():
        yield from _flat(value, f"{key}.{name}" if key else name)


def _changed(old: JsonObject, new: JsonObject) -> list[JsonObject]:
    keys = sorted(old.keys() | new.keys())
    return [{"key": key, "old": old.get(key), "new": new.get(key)} for key in keys if old.get(key) != new.get(key)]
