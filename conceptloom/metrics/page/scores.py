"""The scores of all systems on the page: the leaderboard, intervals on one axis, comparisons, groups."""

import math
from collections.abc import Sequence

from conceptloom.metrics.groups import Group
from conceptloom.metrics.page.systems import PageSystem, leading, names_of
from conceptloom.metrics.resampling.significance import SIGNIFICANT, Comparison, Interval
from conceptloom.reporting.html import Figure, Safe, element, number, p_text, section, table
from conceptloom.reporting.plots import Ranged, intervals


def leaderboard(systems: Sequence[PageSystem], comparisons: Sequence[Comparison] = ()) -> Safe:
    """A row for each system, best first, a column for each metric; one system has its metrics in rows, with intervals.

    A star marks a score that differs from the baseline's (permutation, corrected by Holm).
    """
    names = names_of(systems)
    if len(systems) == 1:
        rows = [(name, systems[0].value(name), _range(systems[0].intervals.get(name))) for name in names]
        return section("Scores", table(("Metric", systems[0].name, "Interval"), rows))
    best = leading(systems) or names[0]
    stars = {(one.first, one.name) for one in comparisons if one.permutation_holm < SIGNIFICANT}
    rows_of_all = [
        [system.name, *(_starred(system.value(name), (system.name, name) in stars) for name in names)]
        for system in sorted(systems, key=lambda one: _rank(one.value(best)))
    ]
    against = {one.second for one in comparisons}
    note = f"* differs from {', '.join(against)}: permutation test, p < {SIGNIFICANT} after Holm." if stars else ""
    return section("Scores", table(("System", *names), rows_of_all), element("p", note) if note else "")


def interval_plots(systems: Sequence[PageSystem]) -> Safe:
    """A plot for each metric that has intervals, with all systems on one axis."""
    able = [name for name in names_of(systems) if any(_has(system.intervals.get(name)) for system in systems)]
    plots = [intervals([_ranged(system, name) for system in systems], name) for name in able]
    return section("Intervals", element("div", *plots, class_="plots")) if plots else Safe("")


def compared_systems(comparisons: Sequence[Comparison]) -> Safe:
    """A table for each pair of systems; with several pairs, p-values are corrected for their number."""
    pairs = list(dict.fromkeys((one.first, one.second) for one in comparisons))
    of_pair = {pair: [one for one in comparisons if (one.first, one.second) == pair] for pair in pairs}
    tables = [_comparison(pair, found, len(pairs) > 1) for pair, found in of_pair.items()]
    folded = (element("details", element("summary", " minus ".join(pair)), one) for pair, one in zip(pairs, tables))
    return section("Differences", *(folded if len(pairs) > 1 else tables))


def groups_of_systems(groups: Sequence[Group]) -> Safe:
    """Mean and standard deviation of each group's scores (Korean CommonGen, table 6)."""
    tables = [
        table(
            ("Metric", "Mean", "Standard deviation"),
            [(score.name, score.mean, score.deviation) for score in group.scores],
            f"{group.name}: {', '.join(group.systems)}",
        )
        for group in groups
    ]
    return section("Groups", *tables)


def _comparison(pair: tuple[str, str], comparisons: Sequence[Comparison], corrected: bool) -> Safe:
    after = ", Holm" if corrected else ""
    header = ("Metric", "Difference", "Interval", f"p (paired bootstrap{after})", f"p (permutation{after})")
    rows = [
        (
            one.name,
            one.difference,
            _range(one.interval),
            p_text(one.bootstrap_holm if corrected else one.bootstrap_p),
            p_text(one.permutation_holm if corrected else one.permutation_p),
        )
        for one in comparisons
    ]
    return table(header, rows, f"{pair[0]} minus {pair[1]}")


def _ranged(system: PageSystem, name: str) -> Ranged:
    interval = system.intervals.get(name) or Interval(math.nan, math.nan)
    return Ranged(system.name, system.value(name), interval.low, interval.high)


def _rank(value: float) -> float:
    """Highest first, unknown last."""
    return math.inf if math.isnan(value) else -value


def _starred(value: float, starred: bool) -> Figure | float:
    return Figure(f"{number(value)}*") if starred else value


def _has(interval: Interval | None) -> bool:
    return interval is not None and not math.isnan(interval.low)


def _range(interval: Interval | None) -> Safe:
    text = f"[{number(interval.low)}, {number(interval.high)}]" if interval and _has(interval) else "–"
    return element("span", text, class_="concept")
