"""`conceptloom evaluate` and `conceptloom presets`."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from typing import TYPE_CHECKING

import typer

from conceptloom.cli.beam import SETTINGS, beam_options
from conceptloom.errors import ConfigError

if TYPE_CHECKING:
    from conceptloom.metrics.evaluation import RowsOf


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    app.command(context_settings=SETTINGS)(evaluate)
    app.command()(presets)


def evaluate(
    context: typer.Context,
    preset: str = typer.Option(..., "--preset", help="What to compute; see `conceptloom presets`."),
    references: str = typer.Option(
        ..., "--references", help="A build's directory, a file in a published format, or parallel text (*src*.txt)."
    ),
    predictions: list[str] = typer.Option(
        [], "--predictions", help="A file of one system's predictions; may be repeated."
    ),
    more: list[str] = typer.Argument(None, metavar="[FILE]...", help="More files of predictions."),
    people: bool = typer.Option(
        False, "--people", help="Score people too: each reference against the others of its set."
    ),
    split: str = typer.Option("test", help="The split, if the references are a build."),
    assignments: list[str] = typer.Option([], "--option", help="NAME=VALUE, an option of the preset; may be repeated."),
    output: str | None = typer.Option(
        None, "--output", help="A directory for scores.json, leaderboard.csv, sentences.parquet and evaluation.html."
    ),
    resamples: int = typer.Option(1000, min=0, help="Resamples for intervals and for comparing systems; 0: none."),
    seed: int = typer.Option(1, min=0, help="The seed of the resamples."),
    baseline: str | None = typer.Option(
        None, help="The system that all others are compared with; best: the one with the best score."
    ),
    groups: list[str] = typer.Option(
        [], "--group", help="NAME=SYSTEM,SYSTEM,…: mean and standard deviation of these; patterns; may be repeated."
    ),
    against: list[str] = typer.Option(
        [], help="SYSTEM,SYSTEM,…=PATH: these systems are compared with other references; patterns; may be repeated."
    ),
    runner: str | None = typer.Option(None, help="Where sentences are scored: direct, flink, prism, dataflow."),
    workers: int | None = typer.Option(None, min=1, help="With --runner, how many tasks run at a time."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Scores predictions against references.

    Arguments after -- are Beam's pipeline options, such as --no_auth for public gs:// paths.
    """
    others = list(takewhile(lambda one: not one.startswith("--"), more or ()))
    context.args = (more or [])[len(others) :]
    beam = beam_options(context)
    if not people and not predictions:
        raise ConfigError("there is nothing to evaluate: give --predictions FILE, or --people")
    from conceptloom.cli.scores import say_notes, show
    from conceptloom.metrics.certainty import Resampling, comparisons, with_intervals
    from conceptloom.metrics.evaluation import evaluate as evaluated
    from conceptloom.metrics.groups import make_groups
    from conceptloom.metrics.outputs import delete_left_over, own_files
    from conceptloom.metrics.page.writing import write_pages
    from conceptloom.metrics.results import to_json, write_evaluation

    options, own = _options(assignments), own_files(output) if output else []
    with _rows(runner, workers, beam, output, preset=preset, options=options) as rows:
        files = [*predictions, *others]
        found = evaluated(
            preset, options, references, split, files, rows_of_items=rows, people=people, own_references=against
        )
    how = Resampling(resamples, seed)
    found = with_intervals(found, how)
    compared, made = comparisons(found, how, baseline), make_groups(groups, found)
    result = to_json(found, compared, how, made)
    written = [*write_evaluation(found, result, output), *write_pages(found, compared, output, made)] if output else []
    if output:
        delete_left_over(output, own)
    say_notes(found, only_warnings=as_json)
    if as_json:
        from conceptloom.cli.printing import print_json

        print_json(result)
    else:
        show(found, compared, made, written)


def presets(as_json: bool = typer.Option(False, "--json", help="Print JSON.")) -> None:
    """Lists the presets for `conceptloom evaluate --preset` and the options that each takes."""
    from conceptloom.cli.printing import print_json
    from conceptloom.metrics import PRESETS

    if as_json:
        print_json({name: {"summary": one.summary, "options": dict(one.options)} for name, one in PRESETS.items()})
        return
    width = max(map(len, PRESETS))
    for name, one in PRESETS.items():
        print(f"{name:<{width}}  {one.summary}")
        for option, summary in one.options.items():
            print(f"{'':<{width}}    --option {option}=…: {summary}")


def _options(assignments: list[str]) -> dict[str, str]:
    pairs = [assignment.partition("=") for assignment in assignments]
    for name, _, value in pairs:
        if not name or not value:
            raise ConfigError(f"--option takes NAME=VALUE, not {name!r}")
    return {name: value for name, _, value in pairs}


@contextmanager
def _rows(
    name: str | None,
    workers: int | None,
    beam: tuple[str, ...],
    output: str | None,
    *,
    preset: str,
    options: dict[str, str],
) -> "Iterator[RowsOf | None]":
    """What computes the rows on a runner; None for this process."""
    if name is None:
        yield None
        return
    from conceptloom.pipelines.evaluate import RowsByRunner
    from conceptloom.runners import RUNNERS
    from conceptloom.storage import join
    from conceptloom.tasks.evaluate import ScoreShard

    entry = RUNNERS[name]
    if name != "direct" and output is None:
        raise ConfigError(f"--runner {name} needs --output: its workers write their results there")
    with tempfile.TemporaryDirectory() as own, entry.open(workers, beam) as opened:
        task = ScoreShard(preset, tuple(options.items()), join(output or own, "work"))
        yield RowsByRunner(opened, task)
