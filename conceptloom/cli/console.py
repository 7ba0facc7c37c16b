"""The console that tables are printed on."""

from typing import Any

from rich.console import Console

WIDTH = 200
"""Columns of a table that is not shown on a terminal."""


def wide_console(**options: Any) -> Console:
    """Returns a console (rich's `options`) on which a table into a file or a pipe is as wide as it is."""
    console = Console(**options)
    if not console.is_terminal:
        console.width = WIDTH
    return console
