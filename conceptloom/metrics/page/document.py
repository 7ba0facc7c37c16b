"""The page of an evaluation: a single HTML file for one system, or for two side by side."""

from collections.abc import Callable, Sequence

from conceptloom.metrics.base import Item
from conceptloom.metrics.page.sentences import differences, extremes
from conceptloom.metrics.page.systems import PageSystem, check, leading, names_of, value_of_part
from conceptloom.metrics.resampling.significance import Comparison, Interval
from conceptloom.reporting.html import Safe, document, element, joined, number, p_text, table
from conceptloom.reporting.plots import COLOURS, histogram, interval_bar, legend

_NO_SOURCE = "(no source)"
_MOST_GROUPS = 30


def evaluation_page(
    systems: Sequence[PageSystem], comparisons: Sequence[Comparison] = (), title: str = "Evaluation"
) -> str:
    """The page of one system or two; `comparisons` compare the first with the second.

    Raises InputError for more systems, or for two without the same items in the same order.
    """
    check(systems)
    parts = [_scores(systems), _differences(comparisons), _distributions(systems), *_groups(systems)]
    return document(title, _about(systems), *parts, _sentences(systems), _signatures(systems))


def _about(systems: Sequence[PageSystem]) -> Safe:
    counts = (f"{system.name}: {len(system.items)} predictions" for system in systems)
    return element("p", "; ".join(counts) + ".")


def _scores(systems: Sequence[PageSystem]) -> Safe:
    header = ["Metric", *(name for s in systems for name in (s.name, "Interval", ""))]
    rows = [_score_row(systems, name) for name in names_of(systems)]
    return joined([element("h2", "Scores"), table(header, rows)])


def _signatures(systems: Sequence[PageSystem]) -> Safe:
    """Last on the page, because signatures are long."""
    found = {(score.name, score.signature): None for system in systems for score in system.scores}
    rows = [(name, element("code", signature)) for name, signature in found]
    return joined([element("h2", "Signatures"), table(("Metric", "Signature"), rows)])


def _score_row(systems: Sequence[PageSystem], name: str) -> list[str | float]:
    scores = [system.score(name) for system in systems]
    intervals = [system.intervals.get(name) for system in systems]
    known = [end for interval in intervals if interval is not None for end in interval if end == end]
    row: list[str | float] = [name]
    for at, (score, interval) in enumerate(zip(scores, intervals, strict=True)):
        value = float("nan") if score is None else score.value
        has = interval is not None and interval.low == interval.low
        row += [value, _range(interval) if interval and has else "–"]
        ends = (min(known), max(known)) if known else (0.0, 1.0)
        row.append(interval_bar(value, *interval, ends, COLOURS[at]) if interval and has else "")
    return row


def _range(interval: Interval) -> Safe:
    return element("span", f"[{number(interval.low)}, {number(interval.high)}]", class_="concept")


def _differences(comparisons: Sequence[Comparison]) -> Safe:
    if not comparisons:
        return Safe("")
    header = ("Metric", "Difference", "Interval", "p (paired bootstrap)", "p (permutation)")
    rows = [
        (
            one.name,
            one.difference,
            _range(one.interval),
            p_text(one.bootstrap_p),
            p_text(one.permutation_p),
        )
        for one in comparisons
    ]
    return joined([element("h2", "First minus second"), table(header, rows)])


def _distributions(systems: Sequence[PageSystem]) -> Safe:
    plots = []
    for name in names_of(systems):
        values = {f"{s.name}": column for s in systems if (column := s.values(name)) is not None}
        if values:
            plots.append(histogram(values, name))
    heading = element("h2", "Distribution over sentences")
    return joined([heading, legend([s.name for s in systems]), element("div", *plots, class_="plots")])


def _groups(systems: Sequence[PageSystem]) -> list[Safe]:
    sizes = joined([element("h2", "By number of concepts"), *(_grouped(s, lambda i: len(i.concepts)) for s in systems)])
    sources = (_grouped(s, lambda item: item.source or _NO_SOURCE) for s in systems)
    return [sizes, joined([element("h2", "By source"), *sources])]


def _grouped(system: PageSystem, group_of: Callable[[Item], int | str]) -> Safe:
    parts: dict[int | str, list[int]] = {}
    for at, item in enumerate(system.items):
        parts.setdefault(group_of(item), []).append(at)
    scores = [score for score in system.scores if system.values(score.name) is not None]
    largest = sorted(parts, key=lambda group: (-len(parts[group]), group))[:_MOST_GROUPS]
    rows: list[list[str | float]] = [
        [str(group), str(len(parts[group])), *(value_of_part(score, parts[group]) for score in scores)]
        for group in sorted(largest)
    ]
    left_out = f" (the {_MOST_GROUPS} largest of {len(parts)})" if len(parts) > _MOST_GROUPS else ""
    return table(["", "Items", *(score.name for score in scores)], rows, f"{system.name}{left_out}")


def _sentences(systems: Sequence[PageSystem]) -> Safe:
    metric = leading(systems)
    if metric is None:
        return Safe("")
    note = element("p", "Struck out: concepts that the prediction lacks by the rule that the data set is built with.")
    parts = [extremes(system, metric) for system in systems]
    beside = [element("h2", "Side by side"), differences(systems[0], systems[1], metric)] if len(systems) == 2 else []
    return joined([element("h2", "Sentences"), note, *parts, *beside])
