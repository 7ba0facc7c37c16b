"""HTML as text: a strict parser accepts it and gives back what was put in."""

from xml.etree.ElementTree import Element

import html5lib
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.reporting.html import Safe, document, element, p_text, table


def _texts(tree: Element, tag: str) -> list[str]:
    return ["".join(found.itertext()) for found in tree.iter(tag)]


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=20), st.text(max_size=20))
def test_any_text_stays_text(inside: str, attribute: str) -> None:
    """A strict parser accepts it and returns the same text, except for characters that HTML does not allow."""
    made = document("t", element("p", inside, title=attribute), table(["a"], [[inside]]))
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    found = parser.parse(made.encode("utf-8"), likely_encoding="utf-8")
    for text in (_texts(found, "p")[0], _texts(found, "td")[0]):
        assert len(text) == len(inside)
        assert all(a == b or b == "\ufffd" for a, b in zip(inside, text, strict=True))
    tags = {one.tag for one in found.find("body").iter()}
    assert tags == {"body", "h1", "p", "div", "table", "thead", "tbody", "tr", "th", "td"}


def test_safe_text_is_left_alone() -> None:
    assert element("p", Safe("<b>x</b>"), "<") == "<p><b>x</b>&lt;</p>"
    assert (p_text(0.0004), p_text(0.0456), p_text(float("nan"))) == ("< 0.001", "0.046", "–")
