"""Deletes old builds from a folder: all but the newest, the current one, and those that these are frozen on."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conceptloom import storage
from conceptloom.current import NAME, current_build, resolved
from conceptloom.errors import OutputError
from conceptloom.manifest import NAME as MANIFEST
from conceptloom.manifest import read_manifest
from conceptloom.pipelines.build.engine import remove_build
from conceptloom.pipelines.build.recipe import RECIPES
from conceptloom.pipelines.builds.finished import MARKER
from conceptloom.pipelines.builds.folder import Entry, builds_in


@dataclass(frozen=True)
class Fate:
    """A build, and why it is kept; `reason` is empty for one that goes."""

    build: Entry
    reason: str = ""

    @property
    def bytes(self) -> int:
        """The size of the files that deleting the build deletes: its own, and no others in its directory."""
        parts = {*RECIPES[self.build.recipe].products, "stages", MANIFEST} if not self.reason else set[str]()
        start = len(storage.join(self.build.directory, ""))
        return sum(info.size for info in self.build.files if info.path[start:].split("/")[0] in parts)


def plan(builds: Sequence[Entry], keep: int) -> list[Fate]:
    """Returns the fate of each build; `builds` are sorted, the newest first.

    Kept are the `keep` newest complete builds of each recipe, what a name such as `current` points at, whatever is not
    complete (somebody may be building it, or mend it), and what any of these is frozen on.
    """
    reasons: dict[str, str] = {}
    newest = Counter[str]()
    for build in builds:
        newest[build.recipe] += not build.problem
        if reason := _reason(build, newest[build.recipe] <= keep, keep):
            reasons[build.directory] = reason
    _keep_frozen(builds, reasons)
    return [Fate(build, reasons.get(build.directory, "")) for build in builds]


def _reason(build: Entry, is_new: bool, keep: int) -> str:
    if build.names:
        return ", ".join(build.names)
    return build.problem or (f"among the {keep} newest" if is_new else "")


def _keep_frozen(builds: Sequence[Entry], reasons: dict[str, str]) -> None:
    """Adds the builds that kept ones are frozen on, in any number of steps."""
    left = [build for build in builds if build.directory in reasons]
    while left:
        build = left.pop()
        source = _source(build, builds)
        if source and source.directory not in reasons:
            reasons[source.directory] = f"{build.name} is frozen on it"
            left.append(source)


def _source(build: Entry, builds: Iterable[Entry]) -> Entry | None:
    """Returns the build that another one is frozen on; by its name alone if the folder was moved since."""
    wanted = resolved(build.frozen) if build.frozen else ""
    same = [one for one in builds if one.directory == wanted]
    named = [one for one in builds if one is not build and one.name == wanted.rpartition("/")[2]]
    return next(iter(same or named), None)


def prune(directory: str, keep: int, also: Iterable[str] = (), delete: bool = False) -> list[Fate]:
    """Returns the fate of each build in a folder, and with `delete` deletes those that go.

    `also` are names of current builds elsewhere. Raises InputError if there is no build in the folder, OutputError if
    a name points at no build, or if a build cannot be deleted, was promoted or changed meanwhile; what was deleted
    before stays deleted.
    """
    also = tuple(also)
    place = resolved(directory)
    # An error if it points at nothing: then nobody knows what others read.
    current_build(storage.join(place, NAME))
    fates = plan(builds_in(place, also), keep)
    # The newest first: those that a build is frozen on are older, and must not go before it.
    for fate in fates if delete else ():
        if not fate.reason:
            _delete(fate.build, place, also)
    return fates


def _delete(build: Entry, place: str, also: Iterable[str]) -> None:
    marker = storage.join(build.directory, MARKER)
    with storage.claim(marker, f"{build.recipe}\n".encode()) as alone:
        if not alone or read_manifest(build.directory) != build.manifest or _is_named(build, place, also):
            raise OutputError(
                f"{build.directory} was built or promoted meanwhile: it and the older builds are kept; run it again"
            )
        remove_build(RECIPES[build.recipe], build.directory)
        others = [info for info in storage.list_files(build.directory) if info.path != marker]
        # While the lock is held, so that no build begins in what is about to go.
        storage.delete_tree(storage.join(build.directory, "stages") if others else build.directory)


def _is_named(build: Entry, place: str, also: Iterable[str]) -> bool:
    return build.directory in (current_build(path.rstrip("/")) for path in (storage.join(place, NAME), *also))
