"""Frozen evaluation: validation and test of an earlier build, kept byte for byte."""

from dataclasses import asdict, dataclass

from conceptloom import storage
from conceptloom.current import build_at, resolved
from conceptloom.errors import ConfigError, InputError
from conceptloom.json_values import JsonObject
from conceptloom.manifest import digest
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.build.settings import RecipeSettings, S
from conceptloom.pipelines.builds.finished import FinishedBuild, open_finished
from conceptloom.tasks.frozen import FOLDER, FrozenFile, read_frozen
from conceptloom.tasks.publish import Copy

_FOLDERS = ("data", "published", "annotation")
_HELD_OUT = tuple(f"{folder}/{split}-" for folder in _FOLDERS for split in ("validation", "test"))


@dataclass(frozen=True)
class Frozen:
    """The held-out files of an earlier build. What they hold counts, not where they lie."""

    build: FinishedBuild
    files: tuple[FrozenFile, ...]

    @property
    def directory(self) -> str:
        """Where the earlier build is."""
        return self.build.directory

    def to_json(self) -> JsonObject:
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
    try:
        build = open_finished(directory)
    except InputError as error:
        raise InputError(f"frozen: {error}") from None
    if build.recipe.name != recipe:
        raise InputError(f"frozen: {build.directory} is a build of recipe {build.recipe.name!r}, not of {recipe!r}")
    found = [file for file in build.manifest.files if file["path"].startswith(_HELD_OUT)]
    if not found:
        raise InputError(f"frozen: {build.directory} has neither validation nor test: there is nothing to keep")
    return Frozen(build, tuple(FrozenFile(file["path"], file["rows"], file["blake2b"]) for file in found))


def check_frozen(settings: RecipeSettings, output: str, extraction: JsonObject) -> Frozen:
    """The frozen build that the settings name.

    `extraction` is what the new build's concepts will be found by, by the names that a report or the settings of stage
    ingest have for it. Raises ConfigError or InputError for a frozen build that the new one cannot be compared with.
    """
    assert settings.frozen is not None
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


def frozen_copies(context: Context[S]) -> list[Copy]:
    """The frozen files, from the copies in stage split to their places in the data set."""
    directory = context.directory("split")
    named = [file for file in context.manifests["split"].files if file["path"].startswith(f"{FOLDER}/")]
    return [
        Copy(storage.join(directory, file["path"]), file["path"].removeprefix(f"{FOLDER}/"), file["rows"])
        for file in named
    ]


def _require_same(frozen: Frozen, extraction: JsonObject) -> None:
    """Concepts that another rule or tagger found are other concepts: equal sets would not be seen."""
    earlier = _extraction(frozen, extraction)
    for name, ours in extraction.items():
        if earlier[name] != ours:
            raise ConfigError(
                f"frozen: the concepts of {frozen.directory} were found by {name} {_named(earlier[name])}, those of "
                f"this build would be by {_named(ours)}: their sets cannot be compared; set ingest.{name}, or freeze "
                "another build"
            )


def _extraction(frozen: Frozen, wanted: JsonObject) -> JsonObject:
    try:
        # What has a version of its own stands in the report with it; the settings have its name alone.
        settings, report = frozen.build.manifest.settings["ingest"], frozen.build.report
        return {name: (report if isinstance(value, dict) else settings)[name] for name, value in wanted.items()}
    except KeyError as error:
        names = " and ".join(wanted)
        raise InputError(f"frozen: {frozen.directory} does not say by which {names} it was made ({error})") from None


def _named(value: str | JsonObject) -> str:
    return value if isinstance(value, str) else " ".join(f"{key} {part}" for key, part in value.items())
