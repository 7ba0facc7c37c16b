"""The command line: thin, and quick to start: each command imports what it needs when it runs."""

import logging
import sys

import typer

from conceptloom import __version__
from conceptloom.cli import building, listing, looking, sets
from conceptloom.errors import ConceptloomError

app = typer.Typer(
    name="conceptloom",
    help="Builds generative-commonsense data sets (concept set -> one everyday sentence) from raw text.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for module in (building, sets, looking, listing):
    module.add_commands(app)


def _version(value: bool) -> None:
    if value:
        print(f"conceptloom {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Builds generative-commonsense data sets (concept set -> one everyday sentence) from raw text."""


def main() -> None:
    """Runs the command line. Exit status: 0 done, 1 the input or the build failed, 2 wrong usage."""
    # Beam logs at import what it does not find; what a user must know is told as an error.
    logging.basicConfig(level=logging.ERROR)
    try:
        app()
    except ConceptloomError as error:
        # One line, whatever a path or a record holds: a program reads it too.
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
