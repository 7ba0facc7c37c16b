"""All sentences as one table that can be searched and sorted: the only part of the page that needs a script."""

import math
from collections.abc import Sequence

from conceptloom.metrics.base import Item
from conceptloom.metrics.page.systems import PageSystem, names_of
from conceptloom.reporting.html import Safe, element, joined, language_of, number, scrolling, section

ROWS = 1000
"""At most so many sentences are on the page, the first ones of each system."""

SCRIPT = """
(() => {
  const table = document.getElementById("sentences"), input = document.getElementById("search");
  if (!table) return;
  const body = table.tBodies[0], rows = [...body.rows], shown = document.getElementById("shown");
  const texts = rows.map((row) => row.textContent.toLowerCase());
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
    rows.forEach((row, at) => { row.hidden = !words.every((word) => texts[at].includes(word)); });
    shown.textContent = rows.filter((row) => !row.hidden).length;
  });
  table.tHead.addEventListener("click", (event) => {
    const head = event.target.closest("th");
    if (!head) return;
    const at = head.cellIndex, down = head.getAttribute("aria-sort") === "ascending";
    const key = (row) => row.cells[at].textContent, sign = down ? -1 : 1;
    const compare = (a, b) => {
      const x = parseFloat(key(a)), y = parseFloat(key(b));
      if (!head.classList.contains("number")) return sign * key(a).localeCompare(key(b));
      return Number.isNaN(x) - Number.isNaN(y) || sign * (x - y);
    };
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    body.append(...[...rows].sort(compare));
  });
})();
"""


def listing(systems: Sequence[PageSystem]) -> Safe:
    """The first sentences of each system, folded: ROWS in all, the same number of each."""
    each = max(1, ROWS // max(1, len(systems)))
    names = [name for name in names_of(systems) if any(system.values(name) is not None for system in systems)]
    rows = joined(row for system in systems for row in _rows(system, names, each))
    if not rows:
        return Safe("")
    shown, every = (sum(min(limit, len(one.items)) for one in systems) for limit in (each, 1 << 62))
    rest = f" of {every:,}; the rest is in sentences.parquet" if shown < every else ""
    summary = element("summary", f"{shown:,} sentences{rest}")
    search = element("label", "Search ", Safe('<input id="search" type="search">'))
    counted = element("p", element("span", str(shown), id="shown"), " shown; a click on a column's name sorts by it.")
    head = element("thead", element("tr", *_header(names)))
    whole = element("table", head, element("tbody", rows), id="sentences")
    return section("All sentences", element("details", summary, search, counted, scrolling(whole)))


def _header(names: Sequence[str]) -> list[Safe]:
    texts = ("System", "Concepts", "Prediction", "References")
    return [_head("No.", class_="number"), *map(_head, texts), *(_head(name, class_="number") for name in names)]


def _head(name: str, **attributes: object) -> Safe:
    return element("th", element("button", name), scope="col", **attributes)


def _rows(system: PageSystem, names: Sequence[str], most: int) -> list[Safe]:
    columns = [system.values(name) for name in names]
    rows = []
    for at, item in enumerate(system.items[:most]):
        values = [number(math.nan if column is None else float(column[at])) for column in columns]
        cells = joined(element("td", value, class_="number") for value in values)
        rows.append(element("tr", element("td", str(at + 1), class_="number"), *_texts(system.name, item), cells))
    return rows


def _texts(name: str, item: Item) -> list[Safe]:
    references = joined(item.references, Safe("<br>"))
    return [
        element("td", name),
        element("td", ", ".join(item.concepts), **language_of("".join(item.concepts))),
        element("td", item.prediction, class_="said", **language_of(item.prediction)),
        element("td", references, class_="said references", **language_of(references)),
    ]
