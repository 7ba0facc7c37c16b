"""Single sentences on the page: the best, the worst, and those on which two systems differ most."""

import re
from collections.abc import Sequence

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.metrics.base import Item
from conceptloom.metrics.page.systems import PageSystem
from conceptloom.reporting.html import Safe, element, joined, language_of, table

SHOWN = 10
_HANGUL = re.compile("[가-힣]")


def extremes(system: PageSystem, metric: str) -> Safe:
    """The best and the worst sentences of a system by a metric."""
    values = system.values(metric)
    assert values is not None
    order = _sorted(values)
    worst, best = order[:SHOWN], order[::-1][:SHOWN]
    return joined(_sentences(system, metric, values, part, title) for part, title in ((best, "Best"), (worst, "Worst")))


def differences(first: PageSystem, second: PageSystem, metric: str) -> Safe:
    """The sentences whose values differ most between two systems, in either direction, side by side."""
    a, b = first.values(metric), second.values(metric)
    assert a is not None and b is not None
    order = _sorted(a - b)
    parts = ((order[::-1][:SHOWN], f"{first.name} better"), (order[:SHOWN], f"{second.name} better"))
    return joined(_pairs((first, second), metric, (a, b), part, title) for part, title in parts)


def found_concepts(items: Sequence[Item]) -> list[set[str]]:
    """The concepts of each item that occur in its prediction, by the data sets' rule for the items' language."""
    vocabulary = frozenset(concept for item in items for concept in item.concepts)
    texts = [item.prediction for item in items]
    if any(_HANGUL.search(concept) for concept in vocabulary):
        from conceptloom.languages.korean import extract

        found = extract.concepts_of(texts)
    else:
        from conceptloom.languages.english import analysers

        found = analysers.concepts_of(texts, analysers.make_analyser(analysers.EVERY, vocabulary))
    return [vocabulary.intersection(concepts) for concepts in map(set, found)]


def _sorted(values: Float64) -> list[int]:
    """The numbers of the items that have a value, lowest value first, ties in the order of the items."""
    return [int(at) for at in np.argsort(values, kind="stable") if not np.isnan(values[at])]


def _sentences(system: PageSystem, metric: str, values: Float64, part: Sequence[int], title: str) -> Safe:
    items = [system.items[at] for at in part]
    columns = 4 if any(item.source for item in items) else 3
    rows = [
        (float(values[at]), _concepts(item, found), _text(item), item.source)[:columns]
        for at, item, found in zip(part, items, found_concepts(items), strict=True)
    ]
    header = (metric, "Concepts", "Prediction and references", "Source")[:columns]
    return table(header, rows, f"{title} of {system.name} by {metric}")


def _pairs(
    systems: tuple[PageSystem, PageSystem],
    metric: str,
    values: tuple[Float64, Float64],
    part: Sequence[int],
    title: str,
) -> Safe:
    columns = []
    for system, column in zip(systems, values, strict=True):
        items = [system.items[at] for at in part]
        cells = [joined([_concepts(i, found), _text(i)]) for i, found in zip(items, found_concepts(items), strict=True)]
        columns.append([(float(column[at]), cell) for at, cell in zip(part, cells, strict=True)])
    rows = [(*a, *b) for a, b in zip(*columns, strict=True)]
    first, second = systems
    return table((metric, first.name, metric, second.name), rows, f"{title} by {metric}")


def _concepts(item: Item, found: set[str]) -> Safe:
    """The concepts; those missing from the prediction are struck out, with a title for screen readers."""
    shown = (concept if concept in found else _missing(concept) for concept in item.concepts)
    names = zip(item.concepts, shown, strict=True)
    return joined(element("span", cell, class_="concept", **language_of(concept)) for concept, cell in names)


def _missing(concept: str) -> Safe:
    return element("del", concept, class_="missing", title="missing")


def _text(item: Item) -> Safe:
    prediction = element("div", item.prediction or "(empty)", class_="said", **language_of(item.prediction))
    others = (element("div", text, class_="references", **language_of(text)) for text in item.references)
    return joined([prediction, *others])
