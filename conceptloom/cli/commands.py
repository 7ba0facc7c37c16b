"""The commands. To start quickly, each of them imports what it needs when it runs, and only its module is imported."""

import importlib
import logging
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from conceptloom import __version__
from conceptloom.cli.json_log import is_wanted
from conceptloom.errors import ConceptloomError, UsageError
from conceptloom.stopping import STATUS

MODULES = {
    "building": ("build", "demo"),
    "evaluating": ("evaluate", "presets"),
    "rating": ("ratings",),
    "estimating": ("estimate",),
    "promoting": ("promote",),
    "keeping": ("builds",),
    "scheduling": ("airflow",),
    "sets": ("concepts", "stats", "variant"),
    "looking": ("explain",),
    "diffing": ("diff",),
    "listing": ("recipes", "formats", "scorers", "rules"),
    "annotating": ("adequacy", "annotation"),
    "connecting": ("conceptnet",),
    "transferring": ("transfer",),
}
"""The modules beside this one in the order of the help, with the names of the commands that each adds."""

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


def _version(value: bool) -> None:
    if value:
        print(f"conceptloom {__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Builds generative-commonsense data sets (concept set -> one everyday sentence) from raw text."""


def make_app(modules: Iterable[str]) -> typer.Typer:
    """Returns the command line with the commands of these modules; see `MODULES`."""
    app = typer.Typer(
        name="conceptloom",
        cls=Commands,
        help="Builds generative-commonsense data sets (concept set -> one everyday sentence) from raw text.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_options)
    for module in modules:
        importlib.import_module(f"conceptloom.cli.{module}").add_commands(app)
    return app


def named_modules(arguments: Sequence[str]) -> list[str]:
    """Returns the module of the command that the first argument names; all of them if it names none, as --help.

    >>> named_modules(["concepts", "--help"])
    ['sets']
    """
    return [module for module, names in MODULES.items() if arguments and arguments[0] in names] or list(MODULES)


def run_command() -> tuple[int, str | None]:
    """Runs the command that the arguments name; returns the exit status (see conceptloom.cli.run), and the error.

    The error is one line, whatever a path or a record contains, so that programs can parse it; None if there is none,
    or if it has been shown.
    """
    # Beam logs missing optional packages at import; whatever a user must know is raised as an error.
    logging.basicConfig(level=logging.CRITICAL)
    try:
        make_app(named_modules(sys.argv[1:]))()
    except ConceptloomError as error:
        return error.status, " ".join(str(error).split())
    except BrokenPipeError:
        return 1, None
    except SystemExit as ending:
        return (ending.code if isinstance(ending.code, int) else int(ending.code is not None)), None
    return 0, None
