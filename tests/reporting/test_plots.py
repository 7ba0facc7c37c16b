"""Plots as SVG: histograms and heat maps contain every value."""

from xml.etree.ElementTree import Element, fromstring

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.reporting.heatmap import Square, heat_map
from conceptloom.reporting.plots import BINS, histogram


def _texts(tree: Element, tag: str) -> list[str]:
    return ["".join(found.itertext()) for found in tree.iter(tag)]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-50, 150) | st.just(float("nan")), max_size=30))
def test_a_histogram_holds_every_value(values: list[float]) -> None:
    column = np.array(values, dtype=np.float64)
    found = fromstring(histogram({"s": column}, "M"))
    heights = np.array([float(bar.get("height")) for bar in found.iter("rect")])
    assert len(heights) == BINS
    known = column[~np.isnan(column)]
    if len(known):
        counts, _ = np.histogram(known, bins=BINS) if known.max() > known.min() else (np.array([len(known)]), None)
        assert sorted(heights[heights > 0]) == pytest.approx(sorted(120 * counts[counts > 0] / counts.max()), abs=0.01)
    else:
        assert not heights.any()


def test_a_heat_map_has_a_square_for_each_pair() -> None:
    nan = float("nan")
    squares = [
        Square("A", "x", 0.8, "0.80*", "p = 0.01"),
        Square("B", "x", -0.2, "-0.20", "p = 0.3"),
        Square("<B>", "y", nan, "–", "p = nan"),
    ]
    tree = fromstring(heat_map(squares, "a label"))
    assert tree.get("aria-label") == "a label" and len(list(tree.iter("rect"))) == 3
    texts = _texts(tree, "text")
    assert texts[:3] == ["0.80*", "-0.20", "–"]
    assert texts[3:] == ["A", "B", "<B>", "x", "y"]
