"""Inline SVG plots: histograms of several columns, and values with their intervals."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.reporting.html import Safe, element, joined, number

COLOURS = ("#3b82c4", "#d9712b", "#3f9d57", "#b55fc0", "#c94f5c", "#8a8f1e", "#2a9d9d", "#8a6fd1")
"""The colours of the systems in turn, seen on white and on black."""

BINS = 20
_WIDTH, _HEIGHT, _MARGIN = 300, 120, 22
_ROW, _LEFT, _SPAN, _RIGHT = 20, 140, 170, 50
_LETTERS = 18
"""What fits to the left of the intervals."""


def histogram(values: Mapping[str, Float64], title: str) -> Safe:
    """The distribution of each system's values, as shares in equal bins over the range of all values."""
    known = {name: column[np.isfinite(column)] for name, column in values.items()}
    every = np.concatenate([*known.values(), np.array([])])
    low, high = (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)
    high = high if high > low else low + 1.0
    shares = {name: _shares(column, low, high) for name, column in known.items()}
    top = max((float(share.max()) for share in shares.values()), default=0.0) or 1.0
    bars = joined(_bars(share, top, at, len(shares), name) for at, (name, share) in enumerate(shares.items()))
    return _figure(title, bars, low, high, top)


def _shares(column: Float64, low: float, high: float) -> Float64:
    counts, _ = np.histogram(column, bins=BINS, range=(low, high))
    return counts / max(len(column), 1)


def _bars(shares: Float64, top: float, at: int, systems: int, name: str) -> Safe:
    step = _WIDTH / BINS
    width = (step - 1) / systems
    return joined(
        element(
            "rect",
            element("title", f"{name}: {100 * share:.1f} %"),
            x=round(place * step + at * width, 2),
            y=round(_HEIGHT - _HEIGHT * share / top, 2),
            width=round(width, 2),
            height=round(_HEIGHT * share / top, 2),
            fill=COLOURS[at % len(COLOURS)],
        )
        for place, share in enumerate(shares.tolist())
    )


def _figure(title: str, bars: Safe, low: float, high: float, top: float) -> Safe:
    axis = element("line", x1=0, y1=_HEIGHT, x2=_WIDTH, y2=_HEIGHT, stroke="#888")
    base = _HEIGHT + 14
    labels = joined(
        [
            element("text", number(low, 1), x=0, y=base),
            element("text", number(high, 1), x=_WIDTH, y=base, text_anchor="end"),
            element("text", f"up to {100 * top:.0f} %", x=_WIDTH / 2, y=base, text_anchor="middle", class_="soft"),
        ]
    )
    drawing = element(
        "svg", bars, axis, labels, viewBox=f"0 0 {_WIDTH} {_HEIGHT + _MARGIN}", width=_WIDTH, height=_HEIGHT + _MARGIN,
        role="img", aria_label=f"distribution of {title}",
    )  # fmt: skip
    return element("figure", element("figcaption", title), drawing)


class Ranged(NamedTuple):
    """A named value with the ends of its interval, which are nan where there is none."""

    name: str
    value: float
    low: float
    high: float


def intervals(values: Sequence[Ranged], title: str) -> Safe:
    """The values as points with their intervals, one below the other on one axis; an unknown value has no point."""
    known = [x for one in values for x in one[1:] if not math.isnan(x)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    height = _ROW * len(values)
    rows = joined(_ranged(one, at, low, high) for at, one in enumerate(values))
    axis = element("line", x1=_LEFT, y1=height + 2, x2=_LEFT + _SPAN, y2=height + 2, stroke="#888")
    ends = ((low, _LEFT, "start"), (high, _LEFT + _SPAN, "end"))
    labels = (element("text", number(x), x=at, y=height + 15, text_anchor=side, class_="soft") for x, at, side in ends)
    size: dict[str, object] = {
        "viewBox": f"0 0 {_LEFT + _SPAN + _RIGHT} {height + 20}",
        "width": _LEFT + _SPAN + _RIGHT,
        "height": height + 20,
    }
    drawing = element("svg", rows, axis, *labels, **size, role="img", aria_label=f"{title} with intervals")
    return element("figure", element("figcaption", title), drawing)


def _ranged(one: Ranged, at: int, low: float, high: float) -> Safe:
    left, point, right = (_LEFT + _SPAN * (x - low) / ((high - low) or 1.0) for x in (one.low, one.value, one.high))
    middle, colour = _ROW * at + _ROW / 2, COLOURS[at % len(COLOURS)]
    range_ = "" if math.isnan(one.low) else f" [{number(one.low)}, {number(one.high)}]"
    short = one.name if len(one.name) <= _LETTERS else one.name[: _LETTERS - 1] + "…"
    parts = [element("text", short, x=_LEFT - 8, y=middle + 4, text_anchor="end")]
    if range_:
        place = {"x1": round(left, 2), "x2": round(right, 2), "y1": middle, "y2": middle}
        parts.append(element("line", **place, stroke=colour, stroke_width=3))
    if not math.isnan(one.value):
        parts.append(element("circle", cx=round(point, 2), cy=middle, r=4, fill=colour))
    parts.append(element("text", number(one.value), x=_LEFT + _SPAN + 8, y=middle + 4))
    return element("g", element("title", f"{one.name}: {number(one.value)}{range_}"), *parts)


def legend(names: Sequence[str]) -> Safe:
    """The colour of each system."""
    squares = (
        element("span", element("span", "■ ", style=f"color: {COLOURS[at % len(COLOURS)]}"), name, class_="concept")
        for at, name in enumerate(names)
    )
    return element("p", *squares)
