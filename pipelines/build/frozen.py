"""Frozen evaluation splits: validation and test of an earlier build, kept byte for byte."""

from dataclasses import asdict, dataclass

from conceptloom import storage
from conceptloom.current import build_at, resolved
from conceptloom.errors import ConfigError, InputError
from conceptloom.json_values import JsonObject
from conceptloom.manifest import digest
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.build.settings import RecipeSettings, S
from conceptloom.pipelines.builds.finished import FROZEN, FinishedBuild, open_finished
from conceptloom.tasks.frozen import FOLDER, FrozenFile, read_frozen
from conceptloom.tasks.publish import Copy

_FOLDERS = ("data", "published", "annotation")
_HELD_OUT = tuple(f"{folder}/{split}-" for folder in _FOLDERS for split in ("validation", "test"))


@dataclass(frozen=True)
class Frozen:
    """The held-out files of an earlier build, identified by their content rather than their location."""

    build: FinishedBuild
    files: tuple[FrozenFile, ...]

    @property
    def directory(self) -> str:
        """The directory of the earlier build."""
        return self.build.directory

    def to_json(self) -> JsonObject:
        """Returns the digest and the row count of each split as JSON values, independent of the build's location."""
        rows = {
            name: sum(f.rows for f in self.files if f.is_data and f.split == name) for name in ("validation", "test")
        }
        return {"digest": digest([asdict(file) for file in self.files]), **rows}

    def data(self) -> list[tuple[FrozenFile, bytes]]:
        """Returns the data files with their bytes; raises InputError if any of the frozen files has changed."""
        read = [(file, read_frozen(self.directory, file)) for file in self.files]
        return [(file, data) for file, data in read if file.is_data]


def open_frozen(directory: str, recipe: str) -> Frozen:
    """Returns the frozen files of a finished build; `directory` may be a link such as `current`.

    Raises InputError if there is no such build, or if it is a build of another recipe.
    """
    try:
        build = open_finished(directory)
    except InputError as error:
        raise InputError(f"frozen: {error}") from None
    if build.recipe.name != recipe:
        raise InputError(f"frozen: {build.directory} is a build of recipe {build.recipe.name!r}, not of {recipe!r}")
    found = [file for file in build.manifest.files if file["path"].startswith(_HELD_OUT)]
    if not found:
        raise InputError(f"frozen: {build.directory} has neither validation nor test: there is nothing to freeze")
    return Frozen(build, tuple(FrozenFile(file["path"], file["rows"], file["blake2b"]) for file in found))


def check_frozen(settings: RecipeSettings, output: str, extraction: JsonObject) -> Frozen:
    """Returns the frozen build that the settings name.

    `extraction` says how the new build extracts concepts, under the keys of the report or of the ingest settings.
    Raises ConfigError or InputError if the frozen build is not comparable with the new one.
    """
    assert settings.frozen is not None
    if resolved(build_at(settings.frozen)) == resolved(output):
        raise ConfigError(f"frozen: {output} is also the output: freeze another build, or choose another --output")
    frozen = open_frozen(settings.frozen, settings.recipe)
    _require_same(frozen, extraction)
    return frozen


def record_frozen(settings: RecipeSettings, output: str) -> None:
    """Writes what a build is frozen on beside its marker, so that nobody deletes it meanwhile. Raises OutputError."""
    path, content = storage.join(output, FROZEN), f"{settings.frozen}\n".encode()
    if settings.frozen and storage.read_existing(path) != content:
        storage.write_bytes(path, content)


def forget_frozen(settings: RecipeSettings, output: str) -> None:
    """Deletes what `record_frozen` wrote: the manifest of a finished build says it. Raises OutputError."""
    if settings.frozen:
        storage.delete_tree(storage.join(output, FROZEN))


def frozen_note(frozen: Frozen, unused: str) -> str:
    """Returns a note for the user: the size of the frozen splits and the settings that are `unused`."""
    counts = frozen.to_json()
    return (
        f"frozen: validation ({counts['validation']:,} rows) and test ({counts['test']:,}) are those of "
        f"{frozen.directory}; {unused} are not used"
    )


def frozen_copies(context: Context[S]) -> list[Copy]:
    """Returns the copies that publish the frozen files, from stage split to the data set."""
    directory = context.directory("split")
    named = [file for file in context.manifests["split"].files if file["path"].startswith(f"{FOLDER}/")]
    return [Copy.of(directory, file, file["path"].removeprefix(f"{FOLDER}/")) for file in named]


def _require_same(frozen: Frozen, extraction: JsonObject) -> None:
    """Raises ConfigError if the extraction differs: equal concept sets would then go unnoticed."""
    earlier = _extraction(frozen, extraction)
    for name, ours in extraction.items():
        if earlier[name] != ours:
            raise ConfigError(
                f"frozen: the concepts of {frozen.directory} were extracted by {name} {_named(earlier[name])}, "
                f"those of this build by {_named(ours)}: their sets cannot be compared; set ingest.{name}, or freeze "
                "another build"
            )


def _extraction(frozen: Frozen, wanted: JsonObject) -> JsonObject:
    try:
        # The report has components with their versions; the settings have only their names.
        settings, report = frozen.build.manifest.settings["ingest"], frozen.build.report
        return {name: (report if isinstance(value, dict) else settings)[name] for name, value in wanted.items()}
    except KeyError as error:
        names = " and ".join(wanted)
        raise InputError(f"frozen: {frozen.directory} does not record the {names} of its concepts ({error})") from None


def _named(value: str | JsonObject) -> str:
    return value if isinstance(value, str) else " ".join(f"{key} {part}" for key, part in value.items())
