"""The commands `conceptloom builds list` and `builds prune`, for a folder that holds builds."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer

from conceptloom.cli.beam import SETTINGS, beam_options
from conceptloom.cli.printing import bytes_text, print_json
from conceptloom.errors import OutputError
from conceptloom.json_values import JsonObject

if TYPE_CHECKING:
    from conceptloom.pipelines.builds.folder import Entry
    from conceptloom.pipelines.builds.prune import Fate

_FOLDER = typer.Argument(help="The folder that holds the builds and `current`, local or gs://.")
_CURRENT = typer.Option(
    [], "--current", help="A name elsewhere that `promote --current` switches; may be given more than once."
)
_HEADER = ("build", "recipe", "finished", "rows", "size", "named")
_AS_JSON = typer.Option(False, "--json", help="Print the result as JSON.")


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    group = typer.Typer(
        help="The builds in a folder: what there is, and which may go.", no_args_is_help=True, rich_markup_mode=None
    )
    group.command("list", context_settings=SETTINGS)(list_)
    group.command("prune", context_settings=SETTINGS)(prune)
    app.add_typer(group, name="builds")


def list_(
    context: typer.Context, directory: str = _FOLDER, current: list[str] = _CURRENT, as_json: bool = _AS_JSON
) -> None:
    """Lists the builds in a folder, the newest first: recipe, when finished, rows, size, current, complete.

    Arguments after -- are passed to Beam as pipeline options, such as --no_auth for public gs:// paths.
    """
    beam_options(context)
    from conceptloom.pipelines.builds.folder import builds_in

    builds = builds_in(directory, current)
    if as_json:
        print_json({"directory": directory, "builds": [_entry_json(build) for build in builds]})
        return
    _print_table(
        (*_HEADER, "complete"),
        ((*_cells(build), (build.problem and f"no: {build.problem}") or "yes") for build in builds),
    )
    _warn_of_current(directory)


def prune(
    context: typer.Context,
    directory: str = _FOLDER,
    keep: int = typer.Option(..., "--keep", min=1, help="How many of the newest complete builds of a recipe to keep."),
    current: list[str] = _CURRENT,
    yes: bool = typer.Option(False, "--yes", "-y", help="Delete; without it, only say what would be deleted."),
    as_json: bool = _AS_JSON,
) -> None:
    """Deletes old builds from a folder, with --yes; without it, only says what would go and how many bytes.

    Kept are the newest ones, what `current` or another link in the folder points at, what a kept build is frozen on,
    whatever is unfinished or damaged, and all that is no build.

    Arguments after -- are passed to Beam as pipeline options, such as --no_auth for public gs:// paths.
    """
    beam_options(context)
    from conceptloom.pipelines.builds.prune import prune as prune_builds

    fates = prune_builds(directory, keep, current, delete=yes)
    goes = [fate for fate in fates if not fate.reason]
    total = sum(fate.bytes for fate in goes)
    if as_json:
        builds = [{**_entry_json(fate.build), "kept": fate.reason or None, "frees": fate.bytes} for fate in fates]
        print_json({"directory": directory, "deleted": yes, "bytes": total, "builds": builds})
        return
    _print_table((*_HEADER, ""), (_fate_cells(fate, yes) for fate in fates))
    which = f"{len(goes):,} of {len(fates):,} builds, {bytes_text(total)}"
    print(f"deleted: {which}" if yes else f"would be deleted: {which}" + (" (--yes deletes)" if goes else ""))


def _fate_cells(fate: "Fate", deleted: bool) -> tuple[str, ...]:
    end = "deleted" if deleted else "goes"
    return (*_cells(fate.build), f"kept: {fate.reason}" if fate.reason else end)


def _cells(build: "Entry") -> tuple[str, ...]:
    rows = f"{sum(build.rows.values()):,}" if build.rows else "-"
    finish = str(build.finish) if build.finish else "-"
    return build.name, build.recipe, finish, rows, bytes_text(build.bytes), ", ".join(build.names)


def _entry_json(build: "Entry") -> JsonObject:
    finish = build.finish
    return {
        "name": build.name,
        "directory": build.directory,
        "recipe": build.recipe,
        "finished": finish.at.isoformat() if finish else None,
        "finished_recorded": finish.recorded if finish else None,
        "rows": build.rows,
        "bytes": build.bytes,
        "current": build.is_current,
        "names": list(build.names),
        "frozen": build.frozen,
        "complete": not build.problem,
        "problem": build.problem or None,
    }


def _warn_of_current(directory: str) -> None:
    """Says on standard error if `current` points at nothing."""
    from conceptloom import storage
    from conceptloom.current import NAME, current_build

    try:
        current_build(storage.join(directory, NAME))
    except OutputError as error:
        print(f"warning: {error}", file=sys.stderr)


def _print_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    from conceptloom.cli.console import wide_console

    table = Table(*header, box=None, header_style="bold")
    for row in rows:
        table.add_row(*map(Text, row))
    wide_console(highlight=False).print(table)
