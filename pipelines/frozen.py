"""Frozen evaluation: validation and test of an earlier build, kept byte for byte."""

import json
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from conceptloom import storage
from conceptloom.current import build_at, resolved
from conceptloom.errors import ConfigError, InputError
from conceptloom.manifest import Manifest, digest, missing_files, read_manifest
from conceptloom.splits import Policy, frozen_assignment, require_pairs
from conceptloom.tasks.frozen import FrozenFile, frozen_rows, read_frozen

_HELD_OUT = tuple(f"{folder}/{split}-" for folder in ("data", "published") for split in ("validation", "test"))


@dataclass(frozen=True)
class Frozen:
    """The held-out files of an earlier build. What they hold counts, not where they lie."""

    directory: str
    files: tuple[FrozenFile, ...]
    extraction: dict[str, Any]
    """What its concepts were found by: `rule` and `tagger`."""

    def to_json(self) -> dict[str, Any]:
        """Their digest, and the number of rows of each split, as JSON values: the same wherever the build lies."""
        rows = {
            name: sum(f.rows for f in self.files if f.is_data and f.split == name) for name in ("validation", "test")
        }
        return {"digest": digest([asdict(file) for file in self.files]), **rows}


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
    return Frozen(directory, files, _extraction(manifest, directory))


def _extraction(manifest: Manifest, directory: str) -> dict[str, Any]:
    path = storage.join(directory, "report.json")
    try:
        tagger = json.loads(storage.read_bytes(path))["tagger"]
        return {"rule": manifest.settings["ingest"]["rule"], "tagger": tagger}
    except (KeyError, ValueError) as error:
        raise InputError(f"frozen: {path} does not say by which rule and tagger it was made ({error})") from None


def check_frozen(settings: Any, output: str, policy: Policy, extraction: dict[str, Any]) -> tuple[str, ...]:
    """What a user should know of the frozen build that the settings name.

    `extraction` is what the new build's concepts will be found by, as in `Frozen`. Raises ConfigError or InputError
    for a frozen build that the new one cannot be compared with. Memory: the held-out rows.
    """
    if resolved(build_at(settings.frozen)) == resolved(output):
        raise ConfigError(f"frozen: {output} is the output itself: freeze another build, or choose another --output")
    frozen = open_frozen(settings.frozen, settings.recipe)
    _require_same(frozen, extraction)
    held = [(file, read_frozen(frozen.directory, file)) for file in frozen.files]
    rows = pa.concat_tables([frozen_rows(file, data) for file, data in held if file.is_data])
    require_pairs(frozen_assignment(rows), policy)
    counts = frozen.to_json()
    return (
        f"frozen: validation ({counts['validation']:,} rows) and test ({counts['test']:,}) are those of "
        f"{frozen.directory}; split.validation, split.test and split.stratify are not used",
    )


def _require_same(frozen: Frozen, extraction: dict[str, Any]) -> None:
    """Concepts that another rule or tagger found are other concepts: equal sets would not be seen."""
    for name, ours in extraction.items():
        theirs = frozen.extraction[name]
        if theirs != ours:
            raise ConfigError(
                f"frozen: the concepts of {frozen.directory} were found by {name} {_named(theirs)}, those of this "
                f"build would be by {_named(ours)}: their sets cannot be compared; set ingest.{name}, or freeze "
                "another build"
            )


def _named(value: Any) -> str:
    return value if isinstance(value, str) else " ".join(f"{key} {part}" for key, part in value.items())
