"""The reader of a build on disk."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.arrays.columns import strings
from conceptloom.current import build_at
from conceptloom.data_set import DataSet, open_data_set
from conceptloom.errors import InputError
from conceptloom.hashing import ID_LENGTH, bucket_of, id_heads
from conceptloom.json_values import JsonObject
from conceptloom.manifest import NAME as MANIFEST
from conceptloom.manifest import Manifest, read_manifest
from conceptloom.pipelines.build.recipe import RECIPES, AnyRecipe
from conceptloom.tables import read_table
from conceptloom.tasks.base import shard_name
from conceptloom.tasks.frozen import FOLDER, FrozenFile

MARKER = "stages/BUILD"
"""The file that names the recipe of the build in a directory; a directory without it is not a build."""
FROZEN = "stages/FROZEN"
"""The file that names the build whose validation and test an unfinished build keeps."""


@dataclass(frozen=True)
class FinishedStage:
    """The output of one finished stage: its directory and its manifest."""

    directory: str
    manifest: Manifest

    def shards(self, kind: str) -> int:
        """Returns the number of shards of one kind."""
        name = re.compile(rf"{re.escape(kind)}-\d+\.parquet")
        return sum(name.fullmatch(file["path"]) is not None for file in self.manifest.files)

    def shard(self, kind: str, bucket: int, columns: list[str] | None = None) -> pa.Table:
        """Returns the rows of one shard."""
        return read_table(storage.join(self.directory, shard_name(kind, bucket)), columns)

    def tables(self, kind: str, columns: list[str] | None = None) -> Iterator[pa.Table]:
        """Returns an iterator over the shards of one kind."""
        return (self.shard(kind, bucket, columns) for bucket in range(self.shards(kind)))


@dataclass(frozen=True)
class FinishedBuild(DataSet):
    """A build: the output of its finished stages and, once all are finished, its data set.

    Everything is read lazily. `manifest` and all that depends on it raise InputError while stages are missing.
    """

    recipe: AnyRecipe

    @cached_property
    def stages(self) -> dict[str, FinishedStage]:
        """The finished stages by name."""
        found = {}
        for info in storage.list_files(storage.join(self.directory, "stages")):
            base, _, name = info.path.rpartition("/")
            manifest = read_manifest(base) if name == MANIFEST else None
            if manifest:
                found[manifest.name] = FinishedStage(base, manifest)
        return found

    @property
    def first(self) -> FinishedStage:
        """The stage that read the inputs; raises InputError if it is not finished."""
        name = self.recipe.stages[0].name
        if name not in self.stages:
            raise InputError(f"{self.directory} contains no build with a finished stage {name}: check the path")
        return self.stages[name]

    def bucket(self, unit: str) -> int:
        """Returns the bucket of an id."""
        return int(bucket_of(id_heads(strings(pa.array([unit]), ID_LENGTH)), self.first.shards("sentences"))[0])

    def rows_with(self, stage: str, kind: str, bucket: int, column: str, value: str) -> list[JsonObject]:
        """Returns the rows of one shard with a value in a column; empty if the stage has no such shard."""
        if stage not in self.stages or bucket >= self.stages[stage].shards(kind):
            return []
        return with_value(self.stages[stage].shard(kind, bucket), column, value)

    def rejected(self, bucket: int, unit: str, *stages: str) -> list[JsonObject]:
        """Returns the rejected rows with an id, from the given stages or, by default, from all."""
        return [row for name in stages or self.stages for row in self.rows_with(name, "rejected", bucket, "id", unit)]

    def frozen(self) -> Iterator[tuple[FrozenFile, bytes]]:
        """Yields the frozen data files of validation and test with their bytes; none if the splits are not frozen."""
        split = self.stages.get("split")
        if split is None:
            return
        for entry in split.manifest.files:
            if entry["path"].startswith(f"{FOLDER}/data/"):
                file = FrozenFile(entry["path"].removeprefix(f"{FOLDER}/"), entry["rows"], entry["blake2b"])
                yield file, storage.read_bytes(storage.join(split.directory, entry["path"]))


def with_value(table: pa.Table, column: str, value: str) -> list[JsonObject]:
    """Returns the rows of a table with a value in a column."""
    found: list[JsonObject] = table.filter(pc.equal(table[column], value)).to_pylist()
    return found


def open_build(directory: str) -> FinishedBuild:
    """Returns the build in a directory, finished or not; `directory` may be a link such as `current`.

    Raises InputError if there is no build with a finished first stage, or if its recipe is unknown.
    """
    directory = build_at(directory)
    marker = storage.read_existing(storage.join(directory, MARKER)) or b""
    name = marker.decode("utf-8", "replace").strip()
    if not name:
        # Raises what is wrong with the place itself, such as a bucket that does not exist.
        storage.list_files(directory)
        raise InputError(f"{directory} contains no build: check the path")
    build = FinishedBuild(directory, _recipe(name, directory))
    _ = build.first
    return build


def open_finished(directory: str) -> FinishedBuild:
    """Returns a finished build; `directory` may be a link such as `current`.

    Raises InputError if there is none, if one of its files is missing, or if its recipe is unknown.
    """
    found = open_data_set(directory)
    return FinishedBuild(found.directory, _recipe(found.manifest.name, found.directory))


def _recipe(name: str, directory: str) -> AnyRecipe:
    if name not in RECIPES:
        there = ", ".join(RECIPES)
        raise InputError(f"{directory} is a build of recipe {name!r}, which is not installed; there are: {there}")
    return RECIPES[name]
