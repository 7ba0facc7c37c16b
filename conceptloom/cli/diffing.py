"""The command `conceptloom diff`, which compares two builds."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from conceptloom.cli.beam import SETTINGS, beam_options
from conceptloom.json_values import JsonObject

if TYPE_CHECKING:
    from rich.table import Table

_KINDS = {"added": "new_split", "gone": "old_split", "changed": "new_split", "moved": "new_split"}
_UNREAD = {"added": "new in the input", "gone": "not in the input any more"}


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    app.command(context_settings=SETTINGS)(diff)


def diff(
    context: typer.Context,
    old: str = typer.Argument(help="The old build, which must be finished."),
    new: str = typer.Argument(help="The new build, which must be finished."),
    examples: int = typer.Option(3, min=0, help="The number of example rows to show of each kind of difference."),
    output: str | None = typer.Option(
        None, "--output", help="A Parquet file to write, with one row for each difference."
    ),
    exit_code: bool = typer.Option(False, "--exit-code", help="Exit with status 1 if any row of data/ differs."),
    as_json: bool = typer.Option(False, "--json", help="Print the result as JSON."),
) -> None:
    """Shows what changed between two builds: rows with reasons from the ledgers, statistics, ledgers and settings.

    Arguments after -- are passed to Beam as pipeline options, such as --no_auth for public gs:// paths.
    """
    beam_options(context)
    from conceptloom.pipelines.builds.diff import diff_builds
    from conceptloom.pipelines.builds.finished import open_finished

    found = diff_builds(open_finished(old), open_finished(new), examples, output)
    if as_json:
        print(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        _show(found)
    if exit_code and not found["same"]:
        raise typer.Exit(1)


def _show(found: JsonObject) -> None:
    from conceptloom.cli.console import wide_console

    console = wide_console(highlight=False, markup=False, soft_wrap=True)
    for line in _row_lines(found):
        console.print(line)
    for title, header, rows in _tables(found):
        if rows:
            console.print(f"\n{title}")
            console.print(_table(header, rows))


def _row_lines(found: JsonObject) -> Iterator[str]:
    """Yields lines about the rows that differ: counts by kind and reason, and examples."""
    totals = [f"{sum(found[side]['rows'].values()):,}" for side in ("old", "new")]
    yield f"rows      {_arrow(*totals)}" + (", all the same" if found["same"] else "")
    if found["same_files"]:
        yield f"the same files: {', '.join(found['same_files'])}"
    for kind, rows in found["kinds"].items():
        if not rows:
            continue
        columns = ", ".join(f"{name} {count:,}" for name, count in found["columns"].items())
        yield f"{kind:<10}{rows:,}" + (f": {columns}" if kind == "changed" else "")
        for group in found["reasons"]:
            if group["kind"] == kind:
                yield f"  {group['rows']:>9,}  {_place(group)}"
        for example in found["examples"][kind]:
            yield from _example_lines(example, found["headline"])


def _place(group: JsonObject) -> str:
    """Returns the splits of a difference and its reason."""
    kind = group["kind"]
    if group["old_split"] and group["new_split"]:
        return _arrow(group["old_split"], group["new_split"])
    if not group["stage"]:
        return f"{group[_KINDS[kind]]}: {_UNREAD[kind]}"
    verb = "had been left out by" if kind == "added" else "left out by"
    return f"{group[_KINDS[kind]]}: {verb} {group['stage']}, {group['reason']}"


def _example_lines(example: JsonObject, headline: str) -> Iterator[str]:
    detail = f" ({example['detail']})" if example["detail"] else ""
    yield f"    {example['id']}  {example[headline]}  [{_place(example)}{detail}]"
    for name, (before, after) in example["columns"].items():
        yield f"      {name}: {_arrow(_text(before), _text(after))}"


def _tables(found: JsonObject) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yields title, header and rows of each table."""
    splits, statistics = _side_by_side(found["statistics"])
    yield "statistics", ["", *splits], statistics
    yield "stages that differ", ["stage", "source", "read", "kept", "left out"], list(_stage_rows(found["stages"]))
    settings = [[one["key"], _text(one["old"]), _text(one["new"])] for one in found["settings"]]
    yield "settings that differ", ["", "old", "new"], settings


def _side_by_side(statistics: JsonObject) -> tuple[list[str], list[list[str]]]:
    """Returns header and rows of a table of the statistics of both builds, with a column for each split."""
    old, new = ({name: dict(_leaves(column)) for name, column in statistics[side].items()} for side in ("old", "new"))
    splits = list(old | new)
    keys = list(dict.fromkeys(key for side in (old, new) for column in side.values() for key in column))
    rows = [
        [key, *(_arrow(*(_text(s.get(split, {}).get(key)) for s in (old, new))) for split in splits)] for key in keys
    ]
    return splits, [row for row in rows if any(cell != "-" for cell in row[1:])]


def _leaves(values: JsonObject, prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{name} ".replace("_", " "))
        else:
            yield f"{prefix}{name}".replace("_", " "), value


def _stage_rows(stages: JsonObject) -> Iterator[list[str]]:
    for stage in dict.fromkeys([*stages["old"], *stages["new"]]):
        sides = [stages[side].get(stage, {}) for side in ("old", "new")]
        for source in dict.fromkeys([*sides[0], *sides[1]]):
            old, new = (side.get(source, {"read": 0, "kept": 0, "rejected": {}}) for side in sides)
            if old == new:
                continue
            reasons = sorted({*old["rejected"], *new["rejected"]})
            counts = [(name, old["rejected"].get(name, 0), new["rejected"].get(name, 0)) for name in reasons]
            text = ", ".join(f"{name} {_arrow(f'{a:,}', f'{b:,}')}" for name, a, b in counts if a != b)
            yield [stage, source, *(_arrow(f"{old[name]:,}", f"{new[name]:,}") for name in ("read", "kept")), text]


def _arrow(old: str, new: str) -> str:
    return old if old == new else f"{old} -> {new}"


def _text(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return "-" if value is None else str(value).lower()
    if isinstance(value, (int, float)):
        return f"{value:,}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _table(header: list[str], rows: list[list[str]]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table(*header, box=None, header_style="bold")
    for row in rows:
        # Values from a corpus or from settings are text, not markup.
        table.add_row(*map(Text, row))
    return table
