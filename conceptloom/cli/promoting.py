"""The command `conceptloom promote`, which checks the gates of a build and makes it the current one."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from conceptloom.cli.beam import SETTINGS, beam_options
from conceptloom.cli.json_log import HELP as LOG_HELP
from conceptloom.cli.json_log import OPTION as LOG_OPTION
from conceptloom.cli.json_log import LogFormat, write_event
from conceptloom.errors import ConfigError
from conceptloom.json_values import JsonObject

if TYPE_CHECKING:
    from conceptloom.pipelines.builds.promote import Promotion

_GROUP = "gates"


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    app.command(context_settings=SETTINGS)(promote)


def promote(
    context: typer.Context,
    directory: str = typer.Argument(help="The directory of a finished build."),
    current: str | None = typer.Option(None, help="The link to switch; default: `current` beside the build."),
    config: str | None = typer.Option(None, help="A YAML file with settings; its group `gates` takes precedence."),
    assignments: list[str] = typer.Option([], "--set", help="A gate setting, such as gates.max_fall=0.2."),
    force: bool = typer.Option(
        False, "--force", help="Promote the build even if a gate fails, for an intended change."
    ),
    backwards: bool = typer.Option(
        False, "--backwards", help="Promote the build even if the current one was finished after it."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print the verdicts as JSON."),
    log_format: LogFormat = typer.Option(LogFormat.TEXT, LOG_OPTION, help=LOG_HELP),
) -> None:
    """Makes a build the current one if it passes its gates, which `conceptloom rules` lists, and is not older.

    Arguments after -- are passed to Beam as pipeline options, such as --no_auth for public gs:// paths.
    """
    beam_options(context)
    from conceptloom.pipelines.builds.promote import promote as promote_build

    promotion = promote_build(directory, current, _gates(config, assignments), force, backwards)
    if log_format is LogFormat.JSON:
        _write_events(promotion)
    _show(promotion, as_json)
    promotion.check()


def _gates(config: str | None, assignments: list[str]) -> JsonObject:
    from conceptloom.pipelines.build.configuration import from_yaml, set_key
    from conceptloom.storage import read_bytes

    data = from_yaml(read_bytes(config).decode("utf-8", "replace"), config) if config else {}
    for assignment in assignments:
        if not assignment.startswith(f"{_GROUP}."):
            raise ConfigError(f"--set {assignment}: only gates.KEY=VALUE can be set for a finished build")
        set_key(data, assignment)
    gates = data.get(_GROUP) or {}
    if not isinstance(gates, dict):
        raise ConfigError(f"{config}: gates must be a mapping, not {type(gates).__name__}")
    return gates


def _show(promotion: "Promotion", as_json: bool) -> None:
    from conceptloom.cli.printing import print_json

    if as_json:
        print_json(asdict(promotion))
        return
    _print_table(promotion)
    if promotion.promoted:
        already = ", as before" if promotion.before == promotion.build else ""
        forced = " (gates failed: --force)" if promotion.failed else ""
        print(f"current: {promotion.current} points at {promotion.build}{already}{forced}")


def _write_events(promotion: "Promotion") -> None:
    for one in promotion.verdicts:
        write_event("gate", build=promotion.build, **asdict(one))
    fields = {"current": promotion.current, "before": promotion.before, "promoted": promotion.promoted}
    write_event("promotion", build=promotion.build, **fields)


def _print_table(promotion: "Promotion") -> None:
    from rich.table import Table
    from rich.text import Text

    from conceptloom.cli.console import wide_console

    console = wide_console(highlight=False)
    table = Table("gate", "of", "limit", "measured", "passed", box=None, header_style="bold")
    for one in promotion.verdicts:
        cells = (one.gate, one.of, one.limit, one.measured, "yes" if one.passed else "NO")
        table.add_row(*map(Text, cells))
    console.print(table)
