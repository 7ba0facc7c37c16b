"""The builds in a folder, as a weekly build leaves one after the other there: recipe, time, size, names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from conceptloom import storage
from conceptloom.current import LONGEST, NAME, current_build, names_in, resolved
from conceptloom.data_set import REPORT, missing_products, rows_of
from conceptloom.errors import InputError, OutputError
from conceptloom.manifest import NAME as MANIFEST
from conceptloom.manifest import Manifest, read_manifest
from conceptloom.pipelines.build.recipe import RECIPES
from conceptloom.pipelines.builds.finished import FROZEN, MARKER
from conceptloom.pipelines.builds.when import Finish, finish_of

_BUSY = "being built"


@dataclass(frozen=True)
class Entry:
    """A build in a folder. `problem` says why it is not complete; it is empty for a complete one.

    `names` are the names beside it, such as `current`, that point at it; `frozen` is the build whose validation and
    test it keeps. What only a manifest tells is missing for an unfinished build.
    """

    directory: str
    recipe: str
    problem: str
    files: tuple[storage.FileInfo, ...]
    names: tuple[str, ...] = ()
    frozen: str | None = None
    manifest: Manifest | None = None
    finish: Finish | None = None

    @property
    def name(self) -> str:
        """The name of its directory."""
        return self.directory.rpartition("/")[2]

    @property
    def is_current(self) -> bool:
        """Whether `current` points at it."""
        return NAME in self.names

    @property
    def bytes(self) -> int:
        """The size of all files in its directory."""
        return sum(info.size for info in self.files)

    @property
    def rows(self) -> dict[str, int]:
        """The number of rows of each split; none while it is unfinished."""
        return rows_of(self.manifest) if self.manifest else {}

    @property
    def written(self) -> float:
        """When it was finished or, unfinished, last written to (seconds since 1970)."""
        return self.finish.at.timestamp() if self.finish else max(info.modified for info in self.files)


def builds_in(directory: str, also: Iterable[str] = ()) -> list[Entry]:
    """Returns the builds directly in a folder, finished or not, the newest first.

    `also` are names of current builds elsewhere. Raises InputError if there is no build in the folder, OutputError if a
    name in `also` names no build.
    """
    place = resolved(directory)
    folders = storage.list_folders(place)
    paths = {storage.join(place, name): files for name, files in folders.items() if name}
    marked = {path: files for path, files in paths.items() if _has(path, files, MARKER)}
    if not marked:
        raise InputError(f"{directory} is no folder with builds in it: check the path")
    names = names_in(place, [info.path for info in folders[""] if info.size <= LONGEST])
    for path in also:
        names.setdefault(_named_by(path), []).append(path)
    entries = [_entry(path, files, _inside(path, names)) for path, files in marked.items()]
    return sorted(entries, key=lambda entry: (entry.written, entry.name), reverse=True)


def _named_by(path: str) -> str:
    build = current_build(path.rstrip("/"))
    if build is None:
        raise OutputError(f"{path} names no build, nothing is there: check --current")
    return build


def _inside(directory: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    """Returns the names of a build, and of what is in it: a link may point at its data alone."""
    below = storage.join(directory, "")
    return [
        name for target, found in names.items() if target == directory or target.startswith(below) for name in found
    ]


def _has(directory: str, files: Sequence[storage.FileInfo], name: str) -> bool:
    return any(info.path == storage.join(directory, name) for info in files)


def _entry(directory: str, files: Sequence[storage.FileInfo], names: Sequence[str]) -> Entry:
    modified = {info.path: info.modified for info in files}
    path = storage.join(directory, MANIFEST)
    try:
        manifest = read_manifest(directory) if path in modified else None
    except OutputError:
        return Entry(directory, _recipe(directory), f"{MANIFEST} cannot be read", tuple(files), tuple(names))
    if manifest is None:
        return _unfinished(directory, files, names)
    problem = _problem(manifest, directory, modified)
    frozen, finish = manifest.settings.get("frozen"), finish_of(manifest, modified[path])
    return Entry(directory, manifest.name, problem, tuple(files), tuple(names), frozen, manifest, finish)


def _unfinished(directory: str, files: Sequence[storage.FileInfo], names: Sequence[str]) -> Entry:
    recipe, stages = _recipe(directory), storage.join(directory, "stages", "")
    done = sum(info.path.startswith(stages) and info.path.endswith(f"/{MANIFEST}") for info in files)
    of = f" of {len(RECIPES[recipe].stages)}" if recipe in RECIPES else ""
    busy = _BUSY if storage.is_claimed(storage.join(directory, MARKER)) else "unfinished"
    frozen = storage.read_existing(storage.join(directory, FROZEN))
    known = frozen.decode("utf-8", "replace").rstrip("\n") if frozen else None
    return Entry(directory, recipe, f"{busy}, {done}{of} stages done", tuple(files), tuple(names), known)


def _problem(manifest: Manifest, directory: str, there: Iterable[str]) -> str:
    if manifest.name not in RECIPES:
        return "its recipe is not installed"
    if storage.is_claimed(storage.join(directory, MARKER)):
        return _BUSY
    missing = [REPORT] if storage.join(directory, REPORT) not in there else missing_products(manifest, directory)
    return f"{missing[0]} is missing or has the wrong size" if missing else ""


def _recipe(directory: str) -> str:
    return storage.read_bytes(storage.join(directory, MARKER)).decode("utf-8", "replace").strip()
