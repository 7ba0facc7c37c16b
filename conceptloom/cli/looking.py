"""The command `conceptloom explain`, which shows the history of one sentence or concept set in a build."""

import json
import sys

import typer

from conceptloom.cli.beam import SETTINGS, beam_options
from conceptloom.errors import InputError


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    app.command(context_settings=SETTINGS)(explain)


def explain(
    context: typer.Context,
    directory: str = typer.Argument(help="The directory of a build, local or gs://."),
    what: str = typer.Argument(
        help="The id or text of a sentence, or a part of it; a concept set a#b#c; a locator, or that of a record."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print the result as JSON."),
) -> None:
    """Shows the history of a sentence or concept set in a build: its origin, filters, postings or score, and split.

    Arguments after -- are passed to Beam as pipeline options, such as --no_auth for public gs:// paths.
    """
    beam_options(context)
    from conceptloom.pipelines.builds.explain import explained, opened

    build, explainer = opened(directory)
    found, more = explained(build, explainer, what)
    if not found:
        raise InputError(f"{directory} has no sentence with this id or text, and no such concept set: {what}")
    if as_json:
        print(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        print("\n\n".join(map(explainer.text, found)))
    if more:
        print(f"these are the first {len(found)} texts that hold this: give a longer part", file=sys.stderr)
