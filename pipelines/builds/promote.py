"""Promotion: a finished build that passes its gates becomes the current one. No build is deleted."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from conceptloom import storage
from conceptloom.current import beside, current_build, resolved, switch
from conceptloom.errors import ConfigError, GateError, InputError, OutputError
from conceptloom.gates import Case, Verdict, judge
from conceptloom.manifest import damaged_files, missing_files, read_manifest
from conceptloom.pipelines.build.configuration import make_settings
from conceptloom.pipelines.builds.finished import FinishedBuild, open_finished
from conceptloom.pipelines.builds.when import check_newer


@dataclass(frozen=True)
class Promotion:
    """The verdicts on a build, the previous target of `current`, and whether the build was promoted."""

    build: str
    current: str
    before: str | None
    promoted: bool
    verdicts: tuple[Verdict, ...]

    @property
    def failed(self) -> list[Verdict]:
        """The failed verdicts."""
        return [verdict for verdict in self.verdicts if not verdict.passed]

    def check(self) -> None:
        """Raises GateError that names the failed gates, unless the build was promoted."""
        if self.promoted:
            return
        failed = "; ".join(
            f"{one.gate} {one.of}: {one.measured}, the limit is {one.limit}" + (f" ({one.note})" if one.note else "")
            for one in self.failed
        )
        stays = f"still points at {self.before}" if self.before else "is not created"
        raise GateError(f"gates failed: {failed}; {self.build} is kept, {self.current} {stays}")


def promote(
    directory: str,
    current: str | None = None,
    gates: Mapping[str, object] | None = None,
    force: bool = False,
    backwards: bool = False,
) -> Promotion:
    """Checks the gates of the build in a directory; switches `current` to it if all pass or `force` is set.

    `current` defaults to `current` beside the build; `gates` override the gate settings of the build.
    Raises InputError, OutputError or ConfigError if the build cannot be checked or `current` cannot be switched, or if
    the build is older than the current one, unless `backwards` is set.
    """
    build = resolved(directory)
    path = current.rstrip("/") if current else beside(build)
    if storage.is_remote(path) != storage.is_remote(build):
        raise ConfigError(f"--current {path} must be on the same storage as the builds, such as {beside(build)}")
    before = current_build(path)
    finished = open_finished(build)
    compared = _to_compare(path, before, finished)
    if compared and build != before and not backwards:
        check_newer(finished, compared)
    damaged = damaged_files(finished.manifest, build)
    if damaged:
        raise InputError(f"{build}: the content of {damaged[0]} has changed: build it again")
    verdicts = tuple(_verdicts(finished, compared, gates or {}))
    promoted = force or all(verdict.passed for verdict in verdicts)
    if promoted and build != before:
        _check_unchanged(finished)
        switch(path, build)
    return Promotion(build, path, before, promoted, verdicts)


def _check_unchanged(asked: FinishedBuild) -> None:
    """Raises OutputError if the build was restarted while its gates were checked, which may take long."""
    if read_manifest(asked.directory) != asked.manifest or missing_files(asked.manifest, asked.directory):
        raise OutputError(f"{asked.directory} was changed while its gates were checked: promote it when it is finished")


def _verdicts(build: FinishedBuild, current: FinishedBuild | None, gates: Mapping[str, object]) -> list[Verdict]:
    # The manifest has the same settings as config.yaml.
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
            f"{path} points at a build of recipe {current.recipe.name}, but this is a build of {build.recipe.name}: "
            "choose another --current"
        )
    return current
