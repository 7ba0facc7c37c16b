"""`conceptloom explain`: the history of one sentence or concept set in a build."""

import json

import typer

from conceptloom.cli.beam import SETTINGS, beam_options
from conceptloom.errors import InputError


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    app.command(context_settings=SETTINGS)(explain)


def explain(
    context: typer.Context,
    directory: str = typer.Argument(help="A build, local or gs://."),
    what: str = typer.Argument(help="A sentence's id or text, a concept set a#b#c, or a locator."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """The whole history of one sentence or concept set in a build: where it stands, verdicts, postings or score, split.

    Arguments behind -- are Beam's pipeline options, such as --no_auth for public gs:// paths.
    """
    beam_options(context)
    from conceptloom.pipelines.builds.explain import opened

    build, explainer = opened(directory)
    found = explainer.histories(build, what)
    if not found:
        raise InputError(f"{directory} has no sentence with this id or text, and no such concept set: {what}")
    if as_json:
        print(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        print("\n\n".join(map(explainer.text, found)))
