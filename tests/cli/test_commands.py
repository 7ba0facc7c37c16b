"""The table of commands, and what a small command imports: what it does not need takes longer than its work."""

import pkgutil
import subprocess
import sys
import tempfile
from importlib import import_module
from importlib.metadata import version

import pytest
from typer.main import get_command

from conceptloom import cli
from conceptloom.cli.commands import MODULES, make_app, named_modules

SLOW = ("apache_beam", "numpy", "pyarrow", "rich", "yaml", "pydantic")
TYPER = tuple(map(int, version("typer").split(".")[:2]))
needs_typer = pytest.mark.skipif(
    TYPER >= (0, 29), reason="this typer imports pydantic, and setup.py names earlier ones: install again"
)


def _left(command: str, names: tuple[str, ...], text: str = "") -> set[str]:
    """Which of these modules a fresh process has after a command with this text on standard input."""
    code = (
        f"import sys; from conceptloom.cli import run; sys.argv = {command.split()!r}; assert run() == 0; "
        f"print(*[name for name in {names!r} if name in sys.modules])"
    )
    where = {"cwd": tempfile.gettempdir(), "capture_output": True, "text": True, "check": True}
    done = subprocess.run([sys.executable, "-c", code], input=text, **where)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("module", MODULES)
def test_the_table_has_the_commands_that_a_module_adds(module: str) -> None:
    assert set(get_command(make_app([module])).commands) == set(MODULES[module])


def test_the_table_has_every_module_that_adds_commands() -> None:
    beside = [found.name for found in pkgutil.iter_modules(cli.__path__)]
    assert {name for name in beside if hasattr(import_module(f"{cli.__name__}.{name}"), "add_commands")} == set(MODULES)


@pytest.mark.parametrize("arguments", [[], ["--help"], ["--version"], ["nonsense"], ["--", "build"]])
def test_arguments_that_name_no_command_get_all_of_them(arguments: list[str]) -> None:
    assert named_modules(arguments) == list(MODULES)


@needs_typer
def test_concepts_of_one_line_import_nothing_slow_and_no_other_command() -> None:
    others = tuple(f"conceptloom.cli.{name}" for name in MODULES if name != "sets")
    assert _left("conceptloom concepts", (*SLOW, *others), "개가 제트기를 타고 지나간다.\n") == set()


@pytest.mark.parametrize("command", ["--help", "--version", pytest.param("build --help", marks=needs_typer)])
def test_help_imports_nothing_slow(command: str) -> None:
    assert _left(f"conceptloom {command}", SLOW) == set()
