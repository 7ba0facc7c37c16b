"""Beam's pipeline options on the command line: whatever stands behind `--`."""

import sys

import typer

from conceptloom import storage

SETTINGS = {"allow_extra_args": True}
"""Context settings of a command that takes them."""


def beam_options(context: typer.Context, otherwise: str = "Beam's options stand behind --") -> tuple[str, ...]:
    """Returns the options behind `--`, of which the file systems of this process learn before the first file is touched.

    Ends with status 2 where an argument is no option; `otherwise` says what may be wrong. Raises ConfigError for an
    option whose value cannot be read.
    """
    if context.args and not context.args[0].startswith("--"):
        print(f"Error: {context.args[0]!r} is no option: {otherwise}", file=sys.stderr)
        raise typer.Exit(2)
    if context.args:
        from conceptloom.runners.options import parsed

        parsed(context.args)
    storage.use_options(tuple(context.args))
    return tuple(context.args)
