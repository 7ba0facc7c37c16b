"""The command `conceptloom estimate`, which predicts the cost of a build."""

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from conceptloom.cli.beam import SETTINGS, beam_options
from conceptloom.cli.building import settings_data
from conceptloom.cli.printing import bytes_text, print_json
from conceptloom.cli.recipes import RECIPE_HELP, RecipeCommand, own_settings
from conceptloom.errors import ConfigError

if TYPE_CHECKING:
    from conceptloom.pipelines.estimation.estimate import Estimate

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    app.command(cls=RecipeCommand, context_settings=SETTINGS)(estimate)


def estimate(
    context: typer.Context,
    recipe: str = typer.Argument(help=RECIPE_HELP),
    inputs: list[str] = typer.Option([], "--input", help="An input as NAME[:FORMAT]=PATTERN; may be repeated."),
    config: str | None = typer.Option(None, "--config", help="A YAML file with settings."),
    assignments: list[str] = typer.Option([], "--set", help="A setting as KEY=VALUE, such as split.test=0.1."),
    limit: int | None = typer.Option(None, min=1, help="Estimate a build of only the first N records of each file."),
    frozen: str | None = typer.Option(None, help="A finished build whose validation and test splits would be reused."),
    workers: int | None = typer.Option(None, min=1, help="The number of workers of the build; default: one per core."),
    runner: str = typer.Option("direct", help="Where the build would run: direct, flink or dataflow."),
    sample: str = typer.Option("16M", help="The size of the sample to build: bytes, or 512K, 16M, 1G."),
    as_json: bool = typer.Option(False, "--json", help="Print the estimate as JSON."),
) -> None:
    """Estimates the bytes, memory and time that a build will take by building a sample of the input.

    Arguments after -- are passed to Beam as pipeline options, such as --no_auth for public gs:// paths.
    """
    options = beam_options(context, "give an input as --input NAME=PATTERN")
    from conceptloom.pipelines import RECIPES
    from conceptloom.pipelines.build.configuration import make_settings
    from conceptloom.pipelines.estimation.estimate import DIRECT
    from conceptloom.pipelines.estimation.estimate import estimate as estimated
    from conceptloom.runners import DirectRunner
    from conceptloom.tables import COMPRESSED

    data = settings_data(inputs, config, assignments, {"limit": limit, "frozen": frozen, **own_settings(context)})
    chosen = RECIPES[recipe]
    settings = make_settings(chosen.settings, {"recipe": recipe, **data}, "--config, --input and --set")
    # What another runner would shuffle is compressed.
    compression = None if runner == DIRECT else COMPRESSED
    with DirectRunner.with_workers(1, options, compression) as opened:
        found = estimated(
            chosen, settings, opened, where=runner, workers=workers or os.cpu_count() or 1, sample_bytes=_size(sample)
        )
    if as_json:
        print_json(found.to_json())
    else:
        _show(found, chosen.costs.units if chosen.costs else {})


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d+)([KMG]?)", text.strip().upper().removesuffix("B").removesuffix("I"))
    if not match or not int(match[1]):
        raise ConfigError(f"--sample expects a number of bytes, such as 500000, 512K or 16M, not {text!r}")
    return int(match[1]) * _UNITS[match[2]]


def _show(found: "Estimate", units: Mapping[str, str]) -> None:
    """Prints an estimate; `units` names the items that stages count, if they are not sentences."""
    from rich.table import Table

    from conceptloom.cli.console import wide_console

    sample, machine = found.sample, found.machine
    table = Table("stage", "of", box=None, header_style="bold")
    for name in ("read", "kept", "bytes read", "shuffled", "written", "CPU s", "seconds"):
        table.add_column(name, justify="right")
    for one in found.stages:
        sizes = (bytes_text(size) for size in (one.bytes_read, one.bytes_shuffled, one.bytes_written))
        times = (f"{one.cpu_seconds:,.1f}", f"{one.seconds:,.1f}")
        table.add_row(one.name, units.get(one.name, "sentences"), f"{one.read:,}", f"{one.kept:,}", *sizes, *times)
    times = (f"{found.cpu_seconds:,.1f}", f"{found.seconds:,.1f}")
    sums = (bytes_text(found.bytes_shuffled), bytes_text(found.bytes_written), *times)
    table.add_row("total", "", "", "", "", *sums)
    console = wide_console(highlight=False)
    console.print(table)
    whose = "all processes" if found.runner == "direct" else "a worker"
    enough = "" if found.runner != "direct" or found.memory < machine["memory"] else ": it will not fit"
    print(f"memory    {bytes_text(found.memory)} in {whose}; this machine has {bytes_text(machine['memory'])}{enough}")
    print(f"runner    {found.runner}, {found.workers} workers; this machine has {machine['cores']} cores")
    print(f"input     {bytes_text(found.input_bytes)}, {found.buckets:,} buckets")
    counts = ", ".join(f"{number:,}" for number in sample["sentences"])
    print(
        f"rests on  samples of {counts} sentences, built in {sample['seconds']:.0f} s; x {sample['times']:,.2f} is all"
    )
    if machine["busy"] > 1.1:
        print(f"          the machine was shared: the clock ran {machine['busy']:.2f} times as long as the processors")
    for assumption in found.assumptions:
        print(f"assumes   {assumption}")
