"""Frozen evaluation: validation and test of an earlier build, kept byte for byte."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from conceptloom import storage
from conceptloom.current import build_at, resolved
from conceptloom.errors import ConfigError, InputError
from conceptloom.manifest import Manifest, digest, missing_files, read_manifest
from conceptloom.pipelines.build.recipe import Context
from conceptloom.tasks.frozen import FOLDER, FrozenFile, read_frozen
from conceptloom.tasks.publish import Copy

_FOLDERS = ("data", "published", "annotation")
_HELD_OUT = tuple(f"{folder}/{split}-" for folder in _FOLDERS for split in ("validation", "test"))


@dataclass(frozen=True)
class Frozen:
    """The held-out files of an earlier build. What they hold counts, not where they lie."""

    directory: str
    files: tuple[FrozenFile, ...]
    manifest: Manifest

    def to_json(self) -> dict[str, Any]:
        """Their digest, and the number of rows of each split, as JSON values: the same wherever the build lies."""
        rows = {
            name: sum(f.rows for f in self.files if f.is_data and f.split == name) for name in ("validation", "test")
        }
        return {"digest": digest([asdict(file) for file in self.files]), **rows}

    def data(self) -> list[tuple[FrozenFile, bytes]]:
        """The data files with their bytes; raises InputError where a file, of data or not, has changed."""
        read = [(file, read_frozen(self.directory, file)) for file in self.files]
        return [(file, data) for file, data in read if file.is_data]


def open_frozen(directory: str, recipe: str) -> Frozen:
    """The frozen files of a finished build, or of the one that a name of the current build points at.

    Raises InputError where there is none, or one of another recipe.
    """
    directory = build_at(directory)
    manifest = read_manifest(directory)
    if manifest is None or missing_files(manifest, directory):
        raise InputError(f"frozen: {directory} holds no finished build: build it to its end, or check the path")
    if manifest.name != recipe:
        raise InputError(f"frozen: {directory} is a build of recipe {manifest.name!r}, not of {recipe!r}")
    found = [file for file in manifest.files if file["path"].startswith(_HELD_OUT)]
    if not found:
        raise InputError(f"frozen: {directory} has neither validation nor test: there is nothing to keep")
    files = tuple(FrozenFile(file["path"], file["rows"], file["blake2b"]) for file in found)
    return Frozen(directory, files, manifest)


def check_frozen(settings: Any, output: str, extraction: dict[str, Any]) -> Frozen:
    """The frozen build that the settings name.

    `extraction` is what the new build's concepts will be found by, by the names that a report or the settings of stage
    ingest have for it. Raises ConfigError or InputError for a frozen build that the new one cannot be compared with.
    """
    if resolved(build_at(settings.frozen)) == resolved(output):
        raise ConfigError(f"frozen: {output} is the output itself: freeze another build, or choose another --output")
    frozen = open_frozen(settings.frozen, settings.recipe)
    _require_same(frozen, extraction)
    return frozen


def frozen_note(frozen: Frozen, unused: str) -> str:
    """What a user should know of a frozen build: its size, and which settings are `unused`."""
    counts = frozen.to_json()
    return (
        f"frozen: validation ({counts['validation']:,} rows) and test ({counts['test']:,}) are those of "
        f"{frozen.directory}; {unused} are not used"
    )


def frozen_copies(context: Context) -> list[Copy]:
    """The frozen files, from the copies in stage split to their places in the data set."""
    directory = context.directory("split")
    named = [file for file in context.manifests["split"].files if file["path"].startswith(f"{FOLDER}/")]
    return [
        Copy(storage.join(directory, file["path"]), file["path"].removeprefix(f"{FOLDER}/"), file["rows"])
        for file in named
    ]


def _require_same(frozen: Frozen, extraction: dict[str, Any]) -> None:
    """Concepts that another rule or tagger found are other concepts: equal sets would not be seen."""
    earlier = _extraction(frozen, extraction)
    for name, ours in extraction.items():
        if earlier[name] != ours:
            raise ConfigError(
                f"frozen: the concepts of {frozen.directory} were found by {name} {_named(earlier[name])}, those of "
                f"this build would be by {_named(ours)}: their sets cannot be compared; set ingest.{name}, or freeze "
                "another build"
            )


def _extraction(frozen: Frozen, wanted: dict[str, Any]) -> dict[str, Any]:
    path = storage.join(frozen.directory, "report.json")
    try:
        # What has a version of its own stands in the report with it; the settings have its name alone.
        settings, report = frozen.manifest.settings["ingest"], json.loads(storage.read_bytes(path))
        return {name: (report if isinstance(value, dict) else settings)[name] for name, value in wanted.items()}
    except (KeyError, ValueError) as error:
        names = " and ".join(wanted)
        raise InputError(f"frozen: {path} does not say by which {names} it was made ({error})") from None


def _named(value: Any) -> str:
    return value if isinstance(value, str) else " ".join(f"{key} {part}" for key, part in value.items())
