"""The console that prints tables."""

from rich.console import Console

WIDTH = 200
"""The width of tables that are not printed to a terminal."""


def wide_console(*, highlight: bool = True, markup: bool = True, soft_wrap: bool = False) -> Console:
    """Returns a rich console that does not squeeze tables when printing to a file or a pipe."""
    console = Console(highlight=highlight, markup=markup, soft_wrap=soft_wrap)
    if not console.is_terminal:
        console.width = WIDTH
    return console
