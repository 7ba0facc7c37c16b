"""The commands. To start quickly, each of them imports what it needs when it runs."""

import logging
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from conceptloom import __version__
from conceptloom.cli import (
    annotating,
    building,
    connecting,
    diffing,
    estimating,
    evaluating,
    keeping,
    listing,
    looking,
    promoting,
    rating,
    scheduling,
    sets,
    transferring,
)
from conceptloom.cli.json_log import is_wanted
from conceptloom.errors import ConceptloomError, UsageError
from conceptloom.stopping import STATUS

# Typer's errors are click's, or copies of them, depending on the version.
WRONG_USAGE: Any = typer.BadParameter.__base__


class Commands(TyperGroup):
    """The commands; a stop passes through: typer would say something of its own, another thing in each version."""

    def invoke(self, ctx: Any) -> Any:
        """Runs the command that is named; raises SystemExit when it is stopped, UsageError for the log of programs."""
        try:
            return super().invoke(ctx)
        except WRONG_USAGE as error:
            if is_wanted(sys.argv[1:]):
                raise UsageError(error.format_message()) from None
            raise
        except KeyboardInterrupt:
            raise SystemExit(STATUS) from None


app = typer.Typer(
    name="conceptloom",
    cls=Commands,
    help="Builds generative-commonsense data sets (concept set -> one everyday sentence) from raw text.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for module in (
    building,
    evaluating,
    rating,
    estimating,
    promoting,
    keeping,
    scheduling,
    sets,
    looking,
    diffing,
    listing,
    annotating,
    connecting,
    transferring,
):
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


def run_command() -> tuple[int, str | None]:
    """Runs the command that the arguments name; returns the exit status (see conceptloom.cli.run), and the error.

    The error is one line, whatever a path or a record contains, so that programs can parse it; None if there is none,
    or if it has been shown.
    """
    # Beam logs missing optional packages at import; whatever a user must know is raised as an error.
    logging.basicConfig(level=logging.CRITICAL)
    try:
        app()
    except ConceptloomError as error:
        return error.status, " ".join(str(error).split())
    except BrokenPipeError:
        return 1, None
    except SystemExit as ending:
        return (ending.code if isinstance(ending.code, int) else int(ending.code is not None)), None
    return 0, None
