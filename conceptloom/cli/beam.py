"""Beam's pipeline options on the command line: the arguments after `--`."""

import typer

from conceptloom.errors import UsageError

SETTINGS = {"allow_extra_args": True}
"""Context settings of a command that accepts them."""


def beam_options(context: typer.Context, otherwise: str = "Beam's options go after --") -> tuple[str, ...]:
    """Returns the options after `--`, and makes them known to the file systems of this process.

    Raises UsageError if an argument is not an option (`otherwise` suggests what may be wrong), ConfigError for an
    option with an invalid value.
    """
    if context.args and not context.args[0].startswith("--"):
        raise UsageError(f"{context.args[0]!r} is not an option: {otherwise}")
    if context.args:
        from conceptloom.runners.options import parsed

        parsed(context.args)
    from conceptloom import storage

    storage.use_options(tuple(context.args))
    return tuple(context.args)
