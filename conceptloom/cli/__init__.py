"""The command line. To start quickly, each command imports what it needs when it runs."""

import logging
import os
import signal
import sys
from contextlib import suppress

import typer

from conceptloom import __version__
from conceptloom.cli import (
    annotating,
    building,
    connecting,
    diffing,
    estimating,
    evaluating,
    listing,
    looking,
    promoting,
    rating,
    scheduling,
    sets,
    transferring,
)
from conceptloom.errors import ConceptloomError

app = typer.Typer(
    name="conceptloom",
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


def main() -> None:
    """Runs the command line and exits. Exit status: 0 success, 1 invalid input or failed build, 2 wrong usage."""
    # Whoever ends a build (an orchestrator, a shutdown) wants what Ctrl-C does: remote jobs cancelled, locks released.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    status = run()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    # Running threads of Arrow and gRPC can abort a normal interpreter exit after all work is done.
    os._exit(status)


def run() -> int:
    """Runs the command line; returns the exit status."""
    # Beam logs missing optional packages at import; whatever a user must know is raised as an error.
    logging.basicConfig(level=logging.CRITICAL)
    try:
        app()
    except ConceptloomError as error:
        # Always one line, whatever a path or a record contains, so that programs can parse it.
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 1
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    return 0
