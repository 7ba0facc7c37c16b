"""`conceptloom build` and `conceptloom demo`."""

import json
import sys
from pathlib import Path
from typing import Any

import typer

from conceptloom.cli.beam import SETTINGS, beam_options
from conceptloom.errors import ConfigError

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
DEMOS: dict[str, dict[str, Any]] = {
    "korean-commongen": {
        "inputs": {
            "captions": {"patterns": [str(SAMPLES / "captions_ko.json")]},
            "dialogues": {"patterns": [str(SAMPLES / "dialogues_ko.json")]},
        }
    },
    "commongen": {
        "inputs": {
            "captions": {"patterns": [str(SAMPLES / "captions_en.txt")], "format": "lines"},
            "scenes": {"patterns": [str(SAMPLES / "scenes_en.json")]},
        },
        "conceptnet": str(SAMPLES / "concepts_en.txt"),
        "quotas": {"dev": {3: 0.01, 4: 0.01, 5: 0.01}, "test": {4: 0.02, 5: 0.02}},
    },
}
"""The settings of each recipe's demo: the sample corpora, and shares that suit so small ones."""


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    app.command(context_settings=SETTINGS)(build)
    app.command(context_settings=SETTINGS)(demo)


def build(
    context: typer.Context,
    recipe: str = typer.Argument(help="What to build: korean-commongen or commongen."),
    inputs: list[str] = typer.Option([], "--input", help="NAME[:FORMAT]=PATTERN; may be given more than once."),
    output: str = typer.Option(..., "--output", help="The directory of the build; a build in it goes on where it was."),
    config: str | None = typer.Option(None, "--config", help="A YAML file of settings."),
    assignments: list[str] = typer.Option([], "--set", help="KEY=VALUE, such as split.test=0.1; may be repeated."),
    runner: str = typer.Option("direct", help="Where the stages run: direct, flink, prism, dataflow."),
    workers: int | None = typer.Option(
        None, min=1, help="Tasks that run at a time; default: one a core of this machine (dataflow: the service's)."
    ),
    limit: int | None = typer.Option(None, min=1, help="Read only the first N records of each file."),
    conceptnet: str | None = typer.Option(
        None, help="commongen: a file of ConceptNet (assertions, triples, or a list of names); its words are concepts."
    ),
    frozen: str | None = typer.Option(None, help="A finished build whose validation and test are kept as they are."),
    only: str | None = typer.Option(None, help="Run this stage alone; the ones before it must be done."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Check inputs and settings, print the plan, write nothing."),
    overwrite: bool = typer.Option(False, "--overwrite", help="Delete the build in the output first."),
    as_json: bool = typer.Option(False, "--json", help="Print the report as JSON."),
) -> None:
    """Builds a data set; arguments behind -- are Beam's pipeline options, such as --no_auth for public gs:// paths."""
    options = beam_options(context, "an input is given by --input NAME=PATTERN")
    data = settings_data(inputs, config, assignments, {"limit": limit, "conceptnet": conceptnet, "frozen": frozen})
    run_build(recipe, data, output, runner, workers, only, dry_run, overwrite, as_json, options)


def demo(
    context: typer.Context,
    recipe: str = typer.Option("korean-commongen", "--recipe", help="What to build: korean-commongen or commongen."),
    output: str = typer.Option("conceptloom-demo", "--output", help="The directory of the build."),
    workers: int | None = typer.Option(None, min=1, help="Worker processes; default: one a core."),
    as_json: bool = typer.Option(False, "--json", help="Print the report as JSON."),
) -> None:
    """Builds a data set of the sample corpora inside the package; says what it made and where.

    Arguments behind -- are Beam's pipeline options, such as --no_auth for an emulator of gs://.
    """
    options = beam_options(context)
    if recipe not in DEMOS:
        raise ConfigError(f"no demo of {recipe!r}; there are: {', '.join(DEMOS)}")
    run_build(recipe, DEMOS[recipe], output, "direct", workers, None, False, False, as_json, options)


def run_build(
    name: str,
    data: dict[str, Any],
    output: str,
    runner: str,
    workers: int | None,
    only: str | None,
    dry_run: bool,
    overwrite: bool,
    as_json: bool,
    beam_options: tuple[str, ...],
) -> None:
    """Builds the recipe `name` with plain settings; prints the plan, the progress and the result."""
    from conceptloom.cli.show import ConsoleObserver, show_plan, show_result
    from conceptloom.pipelines import RECIPES
    from conceptloom.pipelines.build.engine import Build
    from conceptloom.pipelines.build.settings import make_settings
    from conceptloom.runners import RUNNERS

    recipe = RECIPES[name]
    settings = make_settings(recipe.settings, {"recipe": name, **data}, "--config, --input and --set")
    open_runner = RUNNERS[runner].open
    if only is not None and only not in [stage.name for stage in recipe.stages]:
        raise ConfigError(f"--only {only}: the stages are {', '.join(stage.name for stage in recipe.stages)}")
    if dry_run:
        with open_runner(workers, beam_options) as opened:
            build = Build(recipe, settings, output, opened)
            plan, notes = build.plan(), recipe.check(settings, output)
            warning = opened.warning(plan.bytes)
        for stage in recipe.stages:
            # Opens taggers and tables: what is not installed is said now.
            stage.settings(settings)
        show_plan(recipe, settings, plan, notes, output, as_json)
        if warning:
            print(f"warning: {warning}", file=sys.stderr)
        return
    with open_runner(workers, beam_options) as opened, ConsoleObserver() as observer:
        finished = Build(recipe, settings, output, opened, observer, overwrite).run(only)
    show_result(finished, output, as_json)


def settings_data(
    inputs: list[str], config: str | None, assignments: list[str], options: dict[str, Any]
) -> dict[str, Any]:
    """Plain settings from the options of the command line; ends the process with status 2 where no input is given.

    `options` are settings that have an option of their own; None: not given.
    """
    from conceptloom.pipelines.build.settings import from_yaml, set_key
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
    """The sources of --input arguments: several of one name are several patterns of one source."""
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


def print_json(data: Any) -> None:
    """Prints JSON values for a program."""
    print(json.dumps(data, ensure_ascii=False, indent=1))
