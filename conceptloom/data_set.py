"""The data set that a finished build left in its directory: manifest, report, and the rows of its splits."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from conceptloom import storage
from conceptloom.current import build_at
from conceptloom.errors import InputError
from conceptloom.json_values import JsonObject
from conceptloom.manifest import Manifest, missing_files, read_manifest
from conceptloom.splits import SPLIT_NAMES
from conceptloom.tables import read_table

REPORT, CONFIG, CARD = "report.json", "config.yaml", "README.md"
DOCUMENTS = (REPORT, CONFIG, CARD)
"""What a build says of itself. Promotion compares it with the manifest; readers of the data do not depend on it."""
SPLITS = tuple(SPLIT_NAMES.values())


@dataclass(frozen=True)
class DataSet:
    """A data set in a directory. Everything is read lazily; without a manifest, `manifest` raises InputError."""

    directory: str

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest of the data set."""
        found = read_manifest(self.directory)
        if found is None:
            raise InputError(f"{self.directory} contains no finished build: finish the build, or check the path")
        return found

    @cached_property
    def report(self) -> JsonObject:
        """The content of report.json: counts by stage and reason, statistics, settings."""
        path = storage.join(self.directory, REPORT)
        try:
            return dict(json.loads(storage.read_bytes(path)))
        except ValueError as error:
            raise InputError(f"{path} is not a valid report ({error}): build {self.directory} again") from None

    def missing(self) -> list[str]:
        """Returns the files of the data set that are missing or have the wrong size."""
        return missing_products(self.manifest, self.directory)

    def files(self, folder: str, split: str = "") -> list[JsonObject]:
        """Returns the manifest entries of the files in a folder (of one split, if given), sorted by name."""
        start = f"{folder}/{split}-" if split else f"{folder}/"
        return sorted((file for file in self.manifest.files if file["path"].startswith(start)), key=_path)

    def rows(self) -> dict[str, int]:
        """Returns the number of rows of each split."""
        return rows_of(self.manifest)

    def tables(self, split: str, columns: list[str] | None = None) -> Iterator[pa.Table]:
        """Yields the rows of a split, file by file. Memory: one file."""
        for file in self.files("data", split):
            yield read_table(storage.join(self.directory, file["path"]), columns)


def open_data_set(directory: str) -> DataSet:
    """Returns the data set of a finished build; `directory` may be a link such as `current`, local or gs://.

    Raises InputError if there is none, or if one of its files is missing.
    """
    found = DataSet(build_at(directory))
    missing = found.missing()
    if missing:
        raise InputError(f"{found.directory}: {missing[0]} is missing or has the wrong size: build it again")
    if not storage.exists(storage.join(found.directory, REPORT)):
        raise InputError(f"{found.directory} contains no finished build: finish the build, or check the path")
    return found


def missing_products(manifest: Manifest, directory: str) -> list[str]:
    """Returns the files of a data set that are missing or have the wrong size, apart from its documents."""
    return [path for path in missing_files(manifest, directory) if path not in DOCUMENTS]


def rows_of(manifest: Manifest) -> dict[str, int]:
    """Returns the number of rows of each split in the manifest of a data set."""
    files = manifest.files
    return {split: sum(file["rows"] for file in files if file["path"].startswith(f"data/{split}-")) for split in SPLITS}


def _path(file: JsonObject) -> str:
    return str(file["path"])
