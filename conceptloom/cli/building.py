"""The commands `conceptloom build` and `conceptloom demo`, and settings given on the command line."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import typer

from conceptloom.cli.beam import SETTINGS, beam_options
from conceptloom.cli.json_log import HELP as LOG_HELP
from conceptloom.cli.json_log import OPTION as LOG_OPTION
from conceptloom.cli.json_log import LogFormat
from conceptloom.cli.recipes import RECIPE_HELP, RecipeCommand, own_settings
from conceptloom.errors import ConfigError, UsageError
from conceptloom.json_values import JsonObject

if TYPE_CHECKING:
    from conceptloom.pipelines.build.engine import Build
    from conceptloom.pipelines.build.settings import S


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    app.command(cls=RecipeCommand, context_settings=SETTINGS)(build)
    app.command(context_settings=SETTINGS)(demo)


def build(
    context: typer.Context,
    recipe: str = typer.Argument(help=RECIPE_HELP),
    inputs: list[str] = typer.Option([], "--input", help="An input as NAME[:FORMAT]=PATTERN; may be repeated."),
    output: str = typer.Option(..., "--output", help="The directory of the build; an unfinished one is resumed."),
    config: str | None = typer.Option(None, "--config", help="A YAML file with settings."),
    assignments: list[str] = typer.Option([], "--set", help="A setting as KEY=VALUE, such as split.test=0.1."),
    runner: str = typer.Option("direct", help="Where the stages run: direct, flink, prism or dataflow."),
    workers: int | None = typer.Option(
        None,
        min=1,
        help="The number of parallel tasks; default: one per core, or one for little text (dataflow: the service "
        "decides).",
    ),
    limit: int | None = typer.Option(None, min=1, help="Read only the first N records of each file."),
    frozen: str | None = typer.Option(None, help="A finished build whose validation and test are reused unchanged."),
    only: str | None = typer.Option(None, help="Run only this stage; earlier stages must be finished."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Check the inputs and print the plan without building."),
    update: bool = typer.Option(
        False, "--update", help="Change a finished build to other settings; stages that still hold are kept."
    ),
    overwrite: bool = typer.Option(
        False, "--overwrite", help="Delete an existing build in the output directory first."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print the report as JSON."),
    log_format: LogFormat = typer.Option(LogFormat.TEXT, LOG_OPTION, help=LOG_HELP),
) -> None:
    """Builds a data set from raw text.

    Arguments after -- are passed to Beam as pipeline options, such as --no_auth for public gs:// paths.
    """
    options = beam_options(context, "give an input as --input NAME=PATTERN")
    data = settings_data(inputs, config, assignments, {"limit": limit, "frozen": frozen, **own_settings(context)})
    wish = BuildWish(
        recipe=recipe,
        data=data,
        output=output,
        as_json=as_json,
        runner=runner,
        workers=workers,
        only=only,
        dry_run=dry_run,
        overwrite=overwrite,
        update=update,
        beam_options=options,
        log_format=log_format,
    )
    run_build(wish)


def demo(
    context: typer.Context,
    recipe: str = typer.Option(
        "korean-commongen", "--recipe", help="The recipe; `conceptloom recipes` lists them all."
    ),
    output: str = typer.Option("conceptloom-demo", "--output", help="The directory of the build."),
    workers: int | None = typer.Option(None, min=1, help="The number of worker processes; the samples need none."),
    as_json: bool = typer.Option(False, "--json", help="Print the report as JSON."),
    log_format: LogFormat = typer.Option(LogFormat.TEXT, LOG_OPTION, help=LOG_HELP),
) -> None:
    """Builds a data set from the sample corpora in the package and shows the result.

    Arguments after -- are passed to Beam as pipeline options, such as --no_auth for an emulator of gs://.
    """
    options = beam_options(context)
    from conceptloom.pipelines import RECIPES

    settings = RECIPES[recipe].demo
    if settings is None:
        raise ConfigError(f"recipe {recipe} has no demo: use `conceptloom build` with your own files")
    wish = BuildWish(recipe, settings(), output, as_json, workers=workers, update=True, beam_options=options)
    run_build(replace(wish, log_format=log_format))


@dataclass(frozen=True)
class BuildWish:
    """The build that a user requests."""

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
    update: bool = False
    beam_options: tuple[str, ...] = ()
    log_format: LogFormat = LogFormat.TEXT


def run_build(wish: BuildWish) -> None:
    """Builds a recipe; prints the plan, the progress and the result."""
    from conceptloom.cli.json_observer import JsonObserver
    from conceptloom.cli.show import ConsoleObserver, show_result
    from conceptloom.pipelines import RECIPES
    from conceptloom.pipelines.build.configuration import make_settings
    from conceptloom.pipelines.build.engine import Build
    from conceptloom.runners import RUNNERS

    if wish.update and wish.overwrite:
        raise ConfigError("--update keeps what still holds, --overwrite deletes it: give one of them")
    recipe = RECIPES[wish.recipe]
    settings = make_settings(recipe.settings, {"recipe": wish.recipe, **wish.data}, "--config, --input and --set")
    stages = [stage.name for stage in recipe.stages]
    if wish.only is not None and wish.only not in stages:
        raise ConfigError(f"--only {wish.only}: the stages are {', '.join(stages)}")
    open_runner = RUNNERS[wish.runner].open
    shown = JsonObserver(wish.output) if wish.log_format is LogFormat.JSON else ConsoleObserver()
    if wish.dry_run:
        with open_runner(wish.workers, wish.beam_options) as opened:
            _plan(Build(recipe, settings, wish.output, opened, shown, wish.overwrite, wish.update), wish)
        return
    with open_runner(wish.workers, wish.beam_options) as opened, shown as observer:
        build = Build(recipe, settings, wish.output, opened, observer, overwrite=wish.overwrite, update=wish.update)
        finished = build.run(wish.only)
    show_result(recipe, finished, wish.output, wish.as_json)


def _plan(build: "Build[S]", wish: BuildWish) -> None:
    """Performs all checks that do not run a stage, and prints the plan."""
    from conceptloom.cli.show import show_plan

    plan, notes = build.plan(), build.recipe.check(build.settings, build.output)
    warning = build.runner.warning(plan.bytes)
    for stage in build.recipe.stages:
        # Looks up taggers and tables, so that missing ones are reported now.
        stage.settings(build.settings)
    show_plan(build, plan, notes, wish.as_json)
    if warning:
        build.observer.noted(f"warning: {warning}")


def settings_data(
    inputs: list[str], config: str | None, assignments: list[str], options: Mapping[str, object]
) -> JsonObject:
    """Returns plain settings from command-line options; raises UsageError if there is no input.

    `options` are the settings with options of their own; None means that an option was not given.
    """
    from conceptloom.pipelines.build.configuration import from_yaml, set_key
    from conceptloom.storage import read_bytes

    data = from_yaml(read_bytes(config).decode("utf-8", "replace"), config) if config else {}
    for name, source in _sources(inputs).items():
        named = data.setdefault("inputs", {})
        if not isinstance(named, dict):
            raise ConfigError(f"{config}: inputs must be a mapping, not {type(named).__name__}")
        named[name] = source
    for assignment in assignments:
        set_key(data, assignment)
    data.update({name: value for name, value in options.items() if value is not None})
    if not data.get("inputs"):
        raise UsageError("no input: give --input NAME=PATTERN, or a --config file with `inputs`")
    return data


def _sources(inputs: list[str]) -> dict[str, JsonObject]:
    """Returns the sources of --input arguments; arguments with the same name are patterns of one source."""
    sources: dict[str, JsonObject] = {}
    for argument in inputs:
        head, equals, pattern = argument.partition("=")
        name, _, kind = head.partition(":")
        if not equals or not name or not pattern:
            raise UsageError(f"--input expects NAME[:FORMAT]=PATTERN, not {argument!r}")
        source = sources.setdefault(name, {"patterns": []})
        source["patterns"].append(pattern)
        if kind and source.setdefault("format", kind) != kind:
            raise ConfigError(f"input {name}: two formats, {source['format']} and {kind}; use a separate name for each")
    return sources
