"""Inline SVG plots: histograms of several columns, and values with their intervals."""

from collections.abc import Mapping, Sequence

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.reporting.html import Safe, element, joined, number

COLOURS = ("#2b6cb0", "#c05621")
"""The colours of the first and the second system."""

BINS = 20
_WIDTH, _HEIGHT, _MARGIN = 300, 120, 22


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
            element("text", f"highest bar {100 * top:.0f} %", x=_WIDTH / 2, y=base, text_anchor="middle", fill="#777"),
        ]
    )
    drawing = element(
        "svg", bars, axis, labels, viewBox=f"0 0 {_WIDTH} {_HEIGHT + _MARGIN}", width=_WIDTH, height=_HEIGHT + _MARGIN,
        role="img", aria_label=f"distribution of {title}",
    )  # fmt: skip
    return element("figure", element("figcaption", title), drawing)


def interval_bar(value: float, low: float, high: float, ends: tuple[float, float], colour: str) -> Safe:
    """A point with its interval, on a scale from ends[0] to ends[1] that all bars of one metric share."""
    span = (ends[1] - ends[0]) or 1.0
    left, point, right = (round(4 + 112 * (x - ends[0]) / span, 2) for x in (low, value, high))
    parts = (
        element("line", x1=left, y1=8, x2=right, y2=8, stroke=colour, stroke_width=3),
        element("circle", cx=point, cy=8, r=4, fill=colour),
    )
    label = f"{number(value)}, from {number(low)} to {number(high)}"
    return element("svg", *parts, viewBox="0 0 120 16", width=120, height=16, role="img", aria_label=label)


def legend(names: Sequence[str]) -> Safe:
    """The colour of each system."""
    squares = (
        element("span", element("span", "■ ", style=f"color: {COLOURS[at % len(COLOURS)]}"), name, class_="concept")
        for at, name in enumerate(names)
    )
    return element("p", *squares)
