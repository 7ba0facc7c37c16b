"""`conceptloom build` and `conceptloom demo`."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from conceptloom.cli.beam import SETTINGS, beam_options
from conceptloom.cli.recipes import RECIPE_HELP, RecipeCommand, own_settings
from conceptloom.errors import ConfigError
from conceptloom.json_values import JsonObject

if TYPE_CHECKING:
    from conceptloom.pipelines.build.engine import Build


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    app.command(cls=RecipeCommand, context_settings=SETTINGS)(build)
    app.command(context_settings=SETTINGS)(demo)


def build(
    context: typer.Context,
    recipe: str = typer.Argument(help=RECIPE_HELP),
    inputs: list[str] = typer.Option([], "--input", help="NAME[:FORMAT]=PATTERN; may be given more than once."),
    output: str = typer.Option(..., "--output", help="The directory of the build; a build in it goes on where it was."),
    config: str | None = typer.Option(None, "--config", help="A YAML file of settings."),
    assignments: list[str] = typer.Option([], "--set", help="KEY=VALUE, such as split.test=0.1; may be repeated."),
    runner: str = typer.Option("direct", help="Where the stages run: direct, flink, prism, dataflow."),
    workers: int | None = typer.Option(
        None, min=1, help="Tasks that run at a time; default: one a core of this machine (dataflow: the service's)."
    ),
    limit: int | None = typer.Option(None, min=1, help="Read only the first N records of each file."),
    frozen: str | None = typer.Option(None, help="A finished build whose validation and test are kept as they are."),
    only: str | None = typer.Option(None, help="Run this stage alone; the ones before it must be done."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Check inputs and settings, print the plan, write nothing."),
    overwrite: bool = typer.Option(False, "--overwrite", help="Delete the build in the output first."),
    as_json: bool = typer.Option(False, "--json", help="Print the report as JSON."),
) -> None:
    """Builds a data set; arguments behind -- are Beam's pipeline options, such as --no_auth for public gs:// paths."""
    options = beam_options(context, "an input is given by --input NAME=PATTERN")
    data = settings_data(inputs, config, assignments, {"limit": limit, "frozen": frozen, **own_settings(context)})
    wish = BuildWish(recipe, data, output, as_json, runner, workers, only, dry_run, overwrite, options)
    run_build(wish)


def demo(
    context: typer.Context,
    recipe: str = typer.Option("korean-commongen", "--recipe", help="The recipe; `conceptloom recipes` lists them."),
    output: str = typer.Option("conceptloom-demo", "--output", help="The directory of the build."),
    workers: int | None = typer.Option(None, min=1, help="Worker processes; default: one a core."),
    as_json: bool = typer.Option(False, "--json", help="Print the report as JSON."),
) -> None:
    """Builds a data set of the sample corpora inside the package; says what it made and where.

    Arguments behind -- are Beam's pipeline options, such as --no_auth for an emulator of gs://.
    """
    options = beam_options(context)
    from conceptloom.pipelines import RECIPES

    settings = RECIPES[recipe].demo
    if settings is None:
        raise ConfigError(f"recipe {recipe} has no demo; give `conceptloom build` your own files")
    run_build(BuildWish(recipe, settings(), output, as_json, workers=workers, beam_options=options))


@dataclass(frozen=True)
class BuildWish:
    """What a user wants to be built, and how."""

    recipe: str
    data: JsonObject
    """Plain settings."""
    output: str
    as_json: bool
    runner: str = "direct"
    workers: int | None = None
    only: str | None = None
    dry_run: bool = False
    overwrite: bool = False
    beam_options: tuple[str, ...] = ()


def run_build(wish: BuildWish) -> None:
    """Builds a recipe; prints the plan, the progress and the result."""
    from conceptloom.cli.show import ConsoleObserver, show_result
    from conceptloom.pipelines import RECIPES
    from conceptloom.pipelines.build.configuration import make_settings
    from conceptloom.pipelines.build.engine import Build
    from conceptloom.runners import RUNNERS

    recipe = RECIPES[wish.recipe]
    settings = make_settings(recipe.settings, {"recipe": wish.recipe, **wish.data}, "--config, --input and --set")
    stages = [stage.name for stage in recipe.stages]
    if wish.only is not None and wish.only not in stages:
        raise ConfigError(f"--only {wish.only}: the stages are {', '.join(stages)}")
    open_runner = RUNNERS[wish.runner].open
    if wish.dry_run:
        with open_runner(wish.workers, wish.beam_options) as opened:
            _plan(Build(recipe, settings, wish.output, opened), wish)
        return
    with open_runner(wish.workers, wish.beam_options) as opened, ConsoleObserver() as observer:
        build = Build(recipe, settings, wish.output, opened, observer, wish.overwrite)
        finished = build.run(wish.only)
    show_result(recipe, finished, wish.output, wish.as_json)


def _plan(build: "Build[Any]", wish: BuildWish) -> None:
    """Checks everything that can be checked without running a stage, and prints the plan."""
    from conceptloom.cli.show import show_plan

    plan, notes = build.plan(), build.recipe.check(build.settings, build.output)
    warning = build.runner.warning(plan.bytes)
    for stage in build.recipe.stages:
        # Looks for taggers and tables: what is not installed is reported now.
        stage.settings(build.settings)
    show_plan(build, plan, notes, wish.as_json)
    if warning:
        print(f"warning: {warning}", file=sys.stderr)


def settings_data(
    inputs: list[str], config: str | None, assignments: list[str], options: dict[str, Any]
) -> dict[str, Any]:
    """Plain settings from the options of the command line; ends the process with status 2 where no input is given.

    `options` are settings that have an option of their own; None: not given.
    """
    from conceptloom.pipelines.build.configuration import from_yaml, set_key
    from conceptloom.storage import read_bytes

    data = from_yaml(read_bytes(config).decode("utf-8", "replace"), config) if config else {}
    for name, source in _sources(inputs).items():
        named = data.setdefault("inputs", {})
        if not isinstance(named, dict):
            raise ConfigError(f"{config}: inputs must be a mapping of names, not {type(named).__name__}")
        named[name] = source
    for assignment in assignments:
        set_key(data, assignment)
    data.update({name: value for name, value in options.items() if value is not None})
    if not data.get("inputs"):
        print("Error: no input: give --input NAME=PATTERN, or a --config that has `inputs`", file=sys.stderr)
        raise typer.Exit(2)
    return data


def _sources(inputs: list[str]) -> dict[str, dict[str, Any]]:
    """Returns the sources of --input arguments: several of one name are several patterns of one source."""
    sources: dict[str, dict[str, Any]] = {}
    for argument in inputs:
        head, equals, pattern = argument.partition("=")
        name, _, kind = head.partition(":")
        if not equals or not name or not pattern:
            print(f"Error: --input wants NAME[:FORMAT]=PATTERN, not {argument!r}", file=sys.stderr)
            raise typer.Exit(2)
        source = sources.setdefault(name, {"patterns": []})
        source["patterns"].append(pattern)
        if kind and source.setdefault("format", kind) != kind:
            raise ConfigError(f"input {name}: two formats, {source['format']} and {kind}; give it two names")
    return sources
