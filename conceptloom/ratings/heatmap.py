"""Correlations as a heat map (the paper's figures 3 and 4): inline SVG, metrics across, human scores down."""

from collections.abc import Sequence

from conceptloom.ratings.correlation import SIGNIFICANT, Correlation
from conceptloom.reporting.html import Safe, element, joined, number

_CELL_WIDTH, _CELL_HEIGHT, _LEFT, _TOP = 76, 34, 170, 110


def heat_map(found: Sequence[Correlation]) -> Safe:
    """One square for each pair: red above 0, blue below, deeper the stronger; a star where p < 0.05."""
    metrics = list(dict.fromkeys(one.metric for one in found))
    humans = list(dict.fromkeys(one.human for one in found))
    width, height = _LEFT + _CELL_WIDTH * len(metrics), _TOP + _CELL_HEIGHT * len(humans)
    cells = joined(_cell(one, metrics.index(one.metric), humans.index(one.human)) for one in found)
    return element(
        "svg",
        cells,
        *(_column_name(name, at) for at, name in enumerate(metrics)),
        *(_row_name(name, at) for at, name in enumerate(humans)),
        viewBox=f"0 0 {width + 40} {height}",
        width=width + 40,
        height=height,
        role="img",
        aria_label="correlation of metrics with human scores",
    )


def colour(value: float) -> str:
    """From blue (-1) over white (0) to red (1); grey for nan.

    >>> colour(0.0), colour(1.0), colour(-1.0), colour(float("nan"))
    ('#ffffff', '#b2182b', '#2166ac', '#eeeeee')
    """
    if value != value:
        return "#eeeeee"
    end = (0xB2, 0x18, 0x2B) if value > 0 else (0x21, 0x66, 0xAC)
    return "#" + "".join(f"{round(255 + (part - 255) * min(abs(value), 1.0)):02x}" for part in end)


def _cell(one: Correlation, column: int, row: int) -> Safe:
    x, y = _LEFT + _CELL_WIDTH * column, _TOP + _CELL_HEIGHT * row
    star = "*" if one.p < SIGNIFICANT else ""
    square = element("rect", x=x, y=y, width=_CELL_WIDTH, height=_CELL_HEIGHT, fill=colour(one.value), stroke="#fff")
    text = element(
        "text",
        number(one.value) + star,
        x=x + _CELL_WIDTH / 2,
        y=y + _CELL_HEIGHT / 2 + 4,
        text_anchor="middle",
        fill="#fff" if abs(one.value) > 0.6 else "#111",
    )
    return element("g", element("title", f"{one.metric} / {one.human}: p = {one.p:.2g}, n = {one.items}"), square, text)


def _column_name(name: str, at: int) -> Safe:
    x, y = _LEFT + _CELL_WIDTH * at + _CELL_WIDTH / 2, _TOP - 8
    return element("text", name, x=x, y=y, transform=f"rotate(-40 {x} {y})")


def _row_name(name: str, at: int) -> Safe:
    return element("text", name, x=_LEFT - 8, y=_TOP + _CELL_HEIGHT * at + _CELL_HEIGHT / 2 + 4, text_anchor="end")
