"""The scores of `conceptloom evaluate` on a terminal: a table of systems, comparisons, groups, and what was odd."""

import sys
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from conceptloom.cli.console import wide_console
from conceptloom.metrics.evaluation import Evaluation
from conceptloom.metrics.groups import Group, GroupScore
from conceptloom.metrics.resampling.significance import SIGNIFICANT, Comparison
from conceptloom.reporting.html import number, p_text

_WIDE = 3
"""More systems than this are rows: columns with intervals would be too wide."""


def say_notes(found: Evaluation, *, only_warnings: bool) -> None:
    """Says what was odd about the files, and of the scores what is missing, on standard error; JSON has it too."""
    for note in dict.fromkeys(note for system in found.systems for note in system.notes):
        if note.is_warning or not only_warnings:
            print(f"{'warning' if note.is_warning else 'note'}: {note}", file=sys.stderr)
    for score in [] if only_warnings else found.systems[0].scores:
        missing = score.signature.partition("|missing:")[2].partition("|")[0]
        if missing:
            print(f"note: {score.name} is not computed, because it needs {missing}", file=sys.stderr)


def show(found: Evaluation, compared: Sequence[Comparison], groups: Sequence[Group], written: Sequence[str]) -> None:
    """Prints the tables, what was scored against what, and the paths of the files written."""
    console = wide_console(highlight=False, markup=False, soft_wrap=True)
    console.print(_rows_of_systems(found) if len(found.systems) > _WIDE else _columns_of_systems(found))
    for table in (*_comparison_tables(compared), *map(_group_table, groups)):
        console.print(table)
    shared = {system.against.digest: system.against for system in found.systems}
    for against in shared.values():
        names = [system.name for system in found.systems if system.against.digest == against.digest]
        of = f" of {', '.join(names)}" if len(shared) > 1 else ""
        sizes = f"{len(against.sets):,} sets, {against.sentences:,} sentences"
        console.print(f"preset {found.preset}; references{of} {against.path} ({sizes}, {against.digest})")
    for path in written:
        console.print(f"written {path}")


def _columns_of_systems(found: Evaluation) -> Table:
    """A row for each metric, a column for each system."""
    table = _table("metric", *(system.name for system in found.systems))
    table.add_row("items", *(f"{len(system.items):,}" for system in found.systems))
    for scores in zip(*(system.scores for system in found.systems), strict=True):
        pairs = zip(scores, found.systems, strict=True)
        table.add_row(
            Text(scores[0].name), *(_cell(one.value, system.intervals.get(one.name)) for one, system in pairs)
        )
    return table


def _rows_of_systems(found: Evaluation) -> Table:
    """A row for each system; intervals are in the files."""
    table = _table("system", "items", *(score.name for score in found.systems[0].scores))
    for system in found.systems:
        values = (number(score.value) for score in system.scores)
        table.add_row(Text(system.name), f"{len(system.items):,}", *values)
    return table


def _comparison_tables(compared: Sequence[Comparison]) -> list[Table]:
    """One pair of systems with intervals and p-values, or a row for each system that was compared with the baseline."""
    pairs = list(dict.fromkeys((one.first, one.second) for one in compared))
    if len(pairs) > 1:
        return [_rows_of_differences(compared)]
    return [_pair_table(*pair, compared) for pair in pairs]


def _pair_table(first: str, second: str, compared: Sequence[Comparison]) -> Table:
    table = _table("metric", f"{first} minus {second}", "p, paired bootstrap", "p, permutation")
    for one in compared:
        ps = map(p_text, (one.bootstrap_p, one.permutation_p))
        table.add_row(Text(one.name), _cell(one.difference, one.interval), *ps)
    return table


def _rows_of_differences(compared: Sequence[Comparison]) -> Table:
    """A star marks p < 0.05, by permutation, corrected by Holm; intervals and p-values are in the files."""
    names = list(dict.fromkeys(one.name for one in compared))
    table = _table(f"minus {compared[0].second} (* p < {SIGNIFICANT}, permutation, Holm)", *names)
    for first in dict.fromkeys(one.first for one in compared):
        found = {one.name: one for one in compared if one.first == first}
        table.add_row(Text(first), *(_difference(found.get(name)) for name in names))
    return table


def _difference(one: Comparison | None) -> str:
    if one is None:
        return "–"
    return number(one.difference) + ("*" if one.permutation_holm < SIGNIFICANT else " ")


def _group_table(group: Group) -> Table:
    table = _table("metric", f"{group.name}: mean ± standard deviation of {len(group.systems)}")
    for score in group.scores:
        table.add_row(Text(score.name), mean_text(score))
    return table


def mean_text(score: GroupScore) -> str:
    """Mean and deviation as papers print them."""
    return f"{number(score.mean)} ± {number(score.deviation)}"


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, header_style="bold")
    # A name comes from a path and is not markup.
    table.add_column(Text(first))
    for name in others:
        table.add_column(Text(name), justify="right")
    return table


def _cell(value: float, interval: tuple[float, float] | None) -> str:
    ends = "" if interval is None else f" [{interval[0]:.2f}, {interval[1]:.2f}]"
    return f"{number(value)}{ends}"
