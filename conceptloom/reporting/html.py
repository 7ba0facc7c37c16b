"""HTML and SVG as text, escaped unless made here: pages that need no other file and no network."""

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; --text: #1a1a1a; --page: #fff; --line: #ddd; --soft: #555; --bad: #a40000;
  --link: #1a56b0; --shade: #f3f4f6; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e6e6; --page: #15171a; --line: #3a3d42; --soft: #a8adb5; --bad: #ff8a80; --link: #8ab4f8;
    --shade: #212429; }
}
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; color: var(--text);
  background: var(--page); overflow-wrap: anywhere; }
a { color: var(--link); }
h1, h2, h3 { line-height: 1.2; margin: 2rem 0 .6rem; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin: 0; padding: .5rem .8rem;
  background: var(--shade); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0 1rem; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th, td { overflow-wrap: normal; }
th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
th[aria-sort=ascending] button::after { content: " ▲"; }
th[aria-sort=descending] button::after { content: " ▼"; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
summary { cursor: pointer; padding: .3rem 0; }
input { font: inherit; width: min(100%, 24rem); box-sizing: border-box; color: inherit; background: var(--shade);
  border: 1px solid var(--line); padding: .3rem .5rem; }
code { font-size: .85em; overflow-wrap: anywhere; }
.missing { color: var(--bad); text-decoration: line-through; }
.warning { border-left: 4px solid var(--bad); padding-left: .7rem; }
.concept { margin-right: .6em; white-space: nowrap; }
.references { color: var(--soft); }
.said { min-width: 15rem; }
.plots { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0; max-width: 100%; }
figcaption { font-weight: 600; }
svg { max-width: 100%; height: auto; }
.scroll svg { max-width: none; }
svg text { font: 11px system-ui, sans-serif; }
svg text:not([fill]) { fill: var(--text); }
svg text.soft { fill: var(--soft); }
"""

_LAST_OF_PLANES = "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
_FORBIDDEN = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef{_LAST_OF_PLANES}]")
"""Control characters, surrogates and noncharacters, which HTML parsers reject."""


_HANGUL = re.compile("[가-힣]")
_HEADING = re.compile('<h2 id="([^"]*)">(.*?)</h2>')


class Safe(str):
    """Text that is HTML already."""

    __slots__ = ()


class Figure(Safe):
    """A number with a sign of its own, which stands in a table like other numbers."""

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
    """A table, which scrolls in itself where it is wide; numbers are right-aligned with two decimals, nan is a dash."""
    body = [[_cell(value) for value in row] for row in rows]
    numeric = [any(row[at][1] for row in body) for at in range(len(header))]
    head = joined(element("th", name, scope="col", **_number_class(numeric[at])) for at, name in enumerate(header))
    lines = (joined(element("td", text, **_number_class(is_number)) for text, is_number in row) for row in body)
    named = element("caption", caption) if caption else Safe("")
    rows_html = joined(element("tr", line) for line in lines)
    return scrolling(element("table", named, element("thead", element("tr", head)), element("tbody", rows_html)))


def scrolling(wide: str) -> Safe:
    """The element in a box that scrolls sideways, so that the page itself is never wider than the screen."""
    return element("div", wide, class_="scroll", tabindex=0)


def section(title: str, *parts: str) -> Safe:
    """A part of a page with a heading that `contents` links to; nothing where the parts are empty."""
    return element("section", element("h2", title, id=_anchor(title)), *parts) if any(parts) else Safe("")


def contents(sections: Iterable[str]) -> Safe:
    """Links to the sections, in their order."""
    titles = [found for one in sections for found in _HEADING.findall(one)]
    links = (Safe(f'<li><a href="#{anchor}">{title}</a></li>') for anchor, title in titles)
    return element("nav", element("ul", *links), aria_label="contents")


def document(title: str, *body: str, language: str = "en", script: str = "") -> str:
    """A whole page that opens offline: it loads nothing, and runs nothing but `script`, which it names by its hash."""
    policy = f"{_POLICY}; script-src 'sha256-{_sha256(script)}'" if script else _POLICY
    head = joined(
        [
            Safe('<meta charset="utf-8">'),
            Safe(f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'),
            Safe('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            element("title", title),
            element("style", Safe(_STYLE)),
        ]
    )
    last = element("script", Safe(script)) if script else Safe("")
    page = element("html", element("head", head), element("body", element("h1", title), *body, last), lang=language)
    return f"<!DOCTYPE html>\n{page}\n"


def language_of(text: str) -> dict[str, object]:
    """The attribute that says that a text is Korean, if it has Hangul: fonts and screen readers want to know."""
    return {"lang": "ko"} if _HANGUL.search(text) else {}


def number(value: float, digits: int = 2) -> str:
    """A number with that many decimals; a dash for nan.

    >>> number(3.14159), number(float("nan"))
    ('3.14', '–')
    """
    return "–" if value != value else f"{value:.{digits}f}"


def p_text(p: float) -> str:
    """A p-value as papers print it."""
    return "–" if p != p else ("< 0.001" if p < 0.001 else f"{p:.3f}")


def _anchor(title: str) -> str:
    return re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")


def _sha256(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def _cell(value: str | float) -> tuple[str, bool]:
    return (value, isinstance(value, Figure)) if isinstance(value, str) else (number(value), True)


def _number_class(is_number: bool) -> dict[str, object]:
    return {"class_": "number"} if is_number else {}


def _allowed(text: str) -> str:
    return text if text.isprintable() else _FORBIDDEN.sub("\ufffd", text)
