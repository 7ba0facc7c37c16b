"""HTML and SVG as text, escaped unless made here: pages that need no other file, no script and no network."""

import re
from collections.abc import Iterable, Sequence
from html import escape

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a;
  background: #fff; }
h1, h2, h3 { line-height: 1.2; margin: 2rem 0 .6rem; }
table { border-collapse: collapse; margin: .5rem 0 1rem; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
code { font-size: .85em; overflow-wrap: anywhere; }
.missing { color: #a40000; text-decoration: line-through; }
.concept { margin-right: .6em; white-space: nowrap; }
.references { color: #555; }
.plots { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0; }
figcaption { font-weight: 600; }
svg text { font: 11px system-ui, sans-serif; }
"""

_LAST_OF_PLANES = "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
_FORBIDDEN = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef{_LAST_OF_PLANES}]")
"""Control characters, surrogates and noncharacters, which HTML parsers reject."""


class Safe(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(tag: str, *children: str, **attributes: object) -> Safe:
    """An element; children that are not Safe are escaped. A final underscore of an attribute's name is dropped.

    >>> element("p", "a < b ", element("b", "c"), class_="x")
    '<p class="x">a &lt; b <b>c</b></p>'
    """
    named = ((name.removesuffix("_").replace("_", "-"), _allowed(str(value))) for name, value in attributes.items())
    given = "".join(f' {name}="{escape(value)}"' for name, value in named)
    return Safe(f"<{tag}{given}>{joined(children)}</{tag}>")


def joined(parts: Iterable[str], between: str = "") -> Safe:
    """The parts joined, each escaped unless it is Safe. Characters that HTML does not allow become U+FFFD."""
    return Safe(between.join(part if isinstance(part, Safe) else escape(_allowed(part)) for part in parts))


def table(header: Sequence[str], rows: Iterable[Sequence[str | float]], caption: str = "") -> Safe:
    """A table; numbers are right-aligned with two decimals, nan is a dash."""
    body = [[_cell(value) for value in row] for row in rows]
    numeric = [any(row[at][1] for row in body) for at in range(len(header))]
    head = joined(element("th", name, scope="col", **_number_class(numeric[at])) for at, name in enumerate(header))
    lines = (joined(element("td", text, **_number_class(is_number)) for text, is_number in row) for row in body)
    named = element("caption", caption) if caption else Safe("")
    rows_html = joined(element("tr", line) for line in lines)
    return element("table", named, element("thead", element("tr", head)), element("tbody", rows_html))


def document(title: str, *body: str, language: str = "en") -> str:
    """A whole page that opens offline: it loads nothing and runs no script."""
    head = joined(
        [
            Safe('<meta charset="utf-8">'),
            Safe(f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">'),
            Safe('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            element("title", title),
            element("style", Safe(_STYLE)),
        ]
    )
    page = element("html", element("head", head), element("body", element("h1", title), *body), lang=language)
    return f"<!DOCTYPE html>\n{page}\n"


def number(value: float, digits: int = 2) -> str:
    """A number with that many decimals; a dash for nan.

    >>> number(3.14159), number(float("nan"))
    ('3.14', '–')
    """
    return "–" if value != value else f"{value:.{digits}f}"


def p_text(p: float) -> str:
    """A p-value as papers print it."""
    return "–" if p != p else ("< 0.001" if p < 0.001 else f"{p:.3f}")


def _cell(value: str | float) -> tuple[str, bool]:
    return (value, False) if isinstance(value, str) else (number(value), True)


def _number_class(is_number: bool) -> dict[str, object]:
    return {"class_": "number"} if is_number else {}


def _allowed(text: str) -> str:
    return text if text.isprintable() else _FORBIDDEN.sub("\ufffd", text)
