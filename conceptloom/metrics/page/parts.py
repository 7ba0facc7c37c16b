"""Parts of the items on the page: how scores are distributed, and scores by number of concepts and by source."""

import math
from collections.abc import Callable, Sequence

from conceptloom.metrics.base import Item
from conceptloom.metrics.page.systems import PageSystem, leading, names_of, value_of_part
from conceptloom.reporting.html import Safe, element, section, table
from conceptloom.reporting.plots import histogram, legend

_OVERLAID = 2
"""More systems than this have a plot or a column each, by one metric."""

_NO_NAME = "(none)"
_MOST_GROUPS = 30
Parts = dict[int | str, list[int]]
"""The numbers of the items of each group."""


def distributions(systems: Sequence[PageSystem]) -> Safe:
    """How the sentences' values are distributed: by each metric, or of many systems by the leading one."""
    if len(systems) > _OVERLAID:
        return _distributions_of_many(systems)
    plots = []
    for name in names_of(systems):
        values = {system.name: column for system in systems if (column := system.values(name)) is not None}
        if values:
            plots.append(histogram(values, name))
    named = legend([system.name for system in systems]) if len(systems) > 1 else Safe("")
    return section("Distribution over sentences", named, element("div", *plots, class_="plots")) if plots else Safe("")


def _distributions_of_many(systems: Sequence[PageSystem]) -> Safe:
    metric = leading(systems)
    columns = {} if metric is None else {one.name: one.values(metric) for one in systems}
    plots = [histogram({name: column}, name) for name, column in columns.items() if column is not None]
    return section(f"Distribution of {metric}", element("div", *plots, class_="plots")) if plots else Safe("")


def by_group(title: str, systems: Sequence[PageSystem], group_of: Callable[[Item], int | str]) -> Safe:
    """The scores of each group of items; nothing where all items are in one."""
    parts = [_parts(system, group_of) for system in systems]
    if max((len(one) for one in parts), default=0) < 2:
        return Safe("")
    if len(systems) > _OVERLAID:
        return section(title, _of_many(systems, parts))
    return section(title, *(_of_one(system, part) for system, part in zip(systems, parts, strict=True)))


def _parts(system: PageSystem, group_of: Callable[[Item], int | str]) -> Parts:
    parts: Parts = {}
    for at, item in enumerate(system.items):
        parts.setdefault(group_of(item), []).append(at)
    largest = sorted(parts, key=lambda group: (-len(parts[group]), group))[:_MOST_GROUPS]
    return {group: parts[group] for group in sorted(largest)}


def _of_one(system: PageSystem, parts: Parts) -> Safe:
    scores = [score for score in system.scores if system.values(score.name) is not None]
    rows: list[list[str | float]] = [
        [str(group) or _NO_NAME, str(len(part)), *(value_of_part(score, part) for score in scores)]
        for group, part in parts.items()
    ]
    limit = f" (the {_MOST_GROUPS} largest groups)" if len(parts) == _MOST_GROUPS else ""
    return table(["", "Items", *(score.name for score in scores)], rows, f"{system.name}{limit}")


def _of_many(systems: Sequence[PageSystem], parts: Sequence[Parts]) -> Safe:
    metric = leading(systems) or ""
    rows: list[list[str | float]] = [
        [str(group) or _NO_NAME, str(len(part)), *(_value(*one, metric, group) for one in zip(systems, parts))]
        for group, part in parts[0].items()
    ]
    return table(["", "Items", *(system.name for system in systems)], rows, metric)


def _value(system: PageSystem, parts: Parts, metric: str, group: int | str) -> float:
    score = system.score(metric)
    return math.nan if score is None or group not in parts else value_of_part(score, parts[group])
