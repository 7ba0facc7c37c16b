"""When a build was finished, and which of two builds is the older one."""

from dataclasses import dataclass
from datetime import datetime, timezone

from conceptloom import storage
from conceptloom.errors import OutputError
from conceptloom.manifest import NAME as MANIFEST
from conceptloom.manifest import Manifest
from conceptloom.pipelines.builds.finished import FinishedBuild


@dataclass(frozen=True)
class Finish:
    """When the last stage of a build was done, by the clock of the machine that drove it; in UTC.

    Manifests of version 0.1 do not record it. For them it is the modification time of MANIFEST.json, which a copy of
    the build may have anew, and `recorded` is false.
    """

    at: datetime
    recorded: bool

    def __str__(self) -> str:
        """Returns the time to the second, with a note if it is that of the file."""
        return f"{self.at:%Y-%m-%d %H:%M:%S} UTC" + ("" if self.recorded else " (the time of its MANIFEST.json)")


def finish_of(manifest: Manifest, modified: float) -> Finish:
    """Returns when the build with this manifest was finished; `modified` is its file's (seconds since 1970).

    >>> print(finish_of(Manifest("commongen", "", {}, (), finished="2026-11-21T03:10:41.250+00:00"), 0.0))
    2026-11-21 03:10:41 UTC
    >>> print(finish_of(Manifest("commongen", "", {}, ()), 86400.0))
    1970-01-02 00:00:00 UTC (the time of its MANIFEST.json)
    """
    try:
        return Finish(datetime.fromisoformat(manifest.finished).astimezone(timezone.utc), True)
    except ValueError:
        return Finish(datetime.fromtimestamp(modified, timezone.utc), False)


def finished_when(build: FinishedBuild) -> Finish:
    """Returns when a build was finished; raises InputError if it is not."""
    (info,) = storage.match(storage.join(build.directory, MANIFEST))
    return finish_of(build.manifest, info.modified)


def check_newer(build: FinishedBuild, current: FinishedBuild) -> None:
    """Raises OutputError if a build was finished before the current one; equal times are not older."""
    own, other = finished_when(build), finished_when(current)
    if own.at < other.at:
        raise OutputError(
            f"{build.directory} was finished {own}, before the current build {current.directory}, {other}: "
            "promote a newer build, or go back with --backwards"
        )
