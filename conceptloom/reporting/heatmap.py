"""A heat map of values from -1 to 1 as inline SVG: a square for each pair of a column and a row."""

from collections.abc import Sequence
from typing import NamedTuple

from conceptloom.reporting.html import Safe, element, joined

_CELL_WIDTH, _CELL_HEIGHT, _LEFT, _TOP = 76, 34, 170, 110


class Square(NamedTuple):
    """One square: its column and row by name, its value, the text on it and its title."""

    column: str
    row: str
    value: float
    text: str
    title: str


def heat_map(squares: Sequence[Square], label: str) -> Safe:
    """The squares, red above 0 and blue below, deeper the further from 0; columns and rows in order of occurrence."""
    columns = list(dict.fromkeys(one.column for one in squares))
    rows = list(dict.fromkeys(one.row for one in squares))
    width, height = _LEFT + _CELL_WIDTH * len(columns), _TOP + _CELL_HEIGHT * len(rows)
    cells = joined(_cell(one, columns.index(one.column), rows.index(one.row)) for one in squares)
    return element(
        "svg",
        cells,
        *(_column_name(name, at) for at, name in enumerate(columns)),
        *(_row_name(name, at) for at, name in enumerate(rows)),
        viewBox=f"0 0 {width + 40} {height}",
        width=width + 40,
        height=height,
        role="img",
        aria_label=label,
    )


def colour(value: float) -> str:
    """From blue (-1) through white (0) to red (1); grey for nan.

    >>> colour(0.0), colour(1.0), colour(-1.0), colour(float("nan"))
    ('#ffffff', '#b2182b', '#2166ac', '#eeeeee')
    """
    if value != value:
        return "#eeeeee"
    end = (0xB2, 0x18, 0x2B) if value > 0 else (0x21, 0x66, 0xAC)
    return "#" + "".join(f"{round(255 + (part - 255) * min(abs(value), 1.0)):02x}" for part in end)


def _cell(one: Square, column: int, row: int) -> Safe:
    x, y = _LEFT + _CELL_WIDTH * column, _TOP + _CELL_HEIGHT * row
    square = element("rect", x=x, y=y, width=_CELL_WIDTH, height=_CELL_HEIGHT, fill=colour(one.value), stroke="#fff")
    text = element(
        "text",
        one.text,
        x=x + _CELL_WIDTH / 2,
        y=y + _CELL_HEIGHT / 2 + 4,
        text_anchor="middle",
        fill="#fff" if abs(one.value) > 0.6 else "#111",
    )
    return element("g", element("title", one.title), square, text)


def _column_name(name: str, at: int) -> Safe:
    x, y = _LEFT + _CELL_WIDTH * at + _CELL_WIDTH / 2, _TOP - 8
    return element("text", name, x=x, y=y, transform=f"rotate(-40 {x} {y})")


def _row_name(name: str, at: int) -> Safe:
    return element("text", name, x=_LEFT - 8, y=_TOP + _CELL_HEIGHT * at + _CELL_HEIGHT / 2 + 4, text_anchor="end")
