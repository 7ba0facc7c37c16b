"""Promotion: a finished build that passes its gates becomes the current one. The others, and a refused one, stay."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from conceptloom import storage
from conceptloom.current import beside, current_build, resolved, switch
from conceptloom.errors import BuildError, ConfigError, InputError, OutputError
from conceptloom.gates import Case, Verdict, judge
from conceptloom.manifest import damaged_files, missing_files, read_manifest
from conceptloom.pipelines.build.configuration import make_settings
from conceptloom.pipelines.builds.finished import FinishedBuild, open_finished


@dataclass(frozen=True)
class Promotion:
    """What the gates said of a build, what `current` named before, and whether the build was let through."""

    build: str
    current: str
    before: str | None
    promoted: bool
    verdicts: tuple[Verdict, ...]

    @property
    def failed(self) -> list[Verdict]:
        """The verdicts that speak against the build."""
        return [verdict for verdict in self.verdicts if not verdict.passed]

    def check(self) -> None:
        """Raises BuildError, naming the failed gates, unless the build was promoted."""
        if self.promoted:
            return
        failed = "; ".join(
            f"{one.gate} {one.of}: {one.measured}, the limit is {one.limit}" + (f" ({one.note})" if one.note else "")
            for one in self.failed
        )
        stays = f"points at {self.before} as before" if self.before else "is not made"
        raise BuildError(f"gates failed: {failed}; {self.build} is kept, {self.current} {stays}")


def promote(
    directory: str, current: str | None = None, gates: Mapping[str, Any] | None = None, force: bool = False
) -> Promotion:
    """Asks the gates about the build in a directory and, last, switches `current` to it when all pass, or `force` says.

    `current` is `current` beside the build by default; `gates` are settings that go before those of the build.
    Raises InputError, OutputError or ConfigError where there is nothing to ask about, or nothing to switch.
    """
    build = resolved(directory)
    path = current.rstrip("/") if current else beside(build)
    if storage.is_remote(path) != storage.is_remote(build):
        raise ConfigError(f"--current {path} must be where the builds are, as {beside(build)} is")
    before = current_build(path)
    finished = open_finished(build)
    damaged = damaged_files(finished.manifest, build)
    if damaged:
        raise InputError(f"{build}: the content of {damaged[0]} was changed: build it again")
    verdicts = tuple(_verdicts(finished, _to_compare(path, before, finished), gates or {}))
    promoted = force or all(verdict.passed for verdict in verdicts)
    if promoted and build != before:
        _check_unchanged(finished)
        switch(path, build)
    return Promotion(build, path, before, promoted, verdicts)


def _check_unchanged(asked: FinishedBuild) -> None:
    """Raises OutputError for a build that was begun anew while the gates, which take their time, looked at it."""
    if read_manifest(asked.directory) != asked.manifest or missing_files(asked.manifest, asked.directory):
        raise OutputError(f"{asked.directory} was changed while the gates looked at it: promote it when it is finished")


def _verdicts(build: FinishedBuild, current: FinishedBuild | None, gates: Mapping[str, Any]) -> list[Verdict]:
    # The manifest holds the settings that config.yaml shows.
    data, recipe = dict(build.manifest.settings), build.recipe
    data["gates"] = {**data.get("gates", {}), **gates}
    settings = make_settings(recipe.settings, data, f"the build {build.directory} and --set")
    limits = settings.gates.chosen(settings.malformed_allowed)
    return judge(Case(build, current, partial(recipe.leaks, settings)), limits)


def _to_compare(path: str, before: str | None, build: FinishedBuild) -> FinishedBuild | None:
    if before is None:
        return None
    try:
        current = open_finished(before)
    except InputError as error:
        raise InputError(f"{path} cannot be compared with: {error}, or delete {path} to promote without it") from None
    if current.recipe.name != build.recipe.name:
        raise OutputError(
            f"{path} points at a build of recipe {current.recipe.name}, this one is of {build.recipe.name}: "
            "choose another --current"
        )
    return current
