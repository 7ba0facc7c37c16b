"""`conceptloom ratings`."""

import json
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import typer

from conceptloom.errors import ConfigError

if TYPE_CHECKING:
    from conceptloom.ratings.reading import Ratings
    from conceptloom.ratings.report import Report

_FILES = "Ratings: published files (a rating in each line) or .csv; MODEL:CRITERION=FILE names model and criterion."


def add_commands(app: typer.Typer) -> None:
    """Adds this module's command."""
    app.command("ratings")(ratings)


def ratings(
    files: list[str] = typer.Argument(None, help=_FILES),
    raters: int = typer.Option(3, min=1, help="Ratings of an item, in files with a rating in each line."),
    level: str = typer.Option("ordinal", help="Level of Krippendorff's alpha: nominal, ordinal, interval, ratio."),
    comparisons: str | None = typer.Option(
        None, help="A CSV file of pairwise comparisons, for Hit@k and Kendall's tau."
    ),
    scores: str | None = typer.Option(None, help="Parquet scores of the rated sentences, for correlations."),
    system: str | None = typer.Option(None, help="The system in --scores whose sentences were rated."),
    method: str = typer.Option("pearson", help="The correlation: pearson, spearman or kendall."),
    output: str | None = typer.Option(None, help="A directory for ratings.json, correlations.csv and ratings.html."),
    as_json: bool = typer.Option(False, "--json", help="Print the result as JSON."),
) -> None:
    """Analyses people's ratings of sentences: means, agreement, rankings, and correlations with metrics."""
    if not files and comparisons is None:
        raise ConfigError("nothing to read: name files of ratings, or give --comparisons FILE")
    found = _report(
        _read(files or [], raters), level, comparisons=comparisons, scores=scores, system=system, method=method
    )
    if output is not None:
        _write(found, output)
    if as_json:
        print(json.dumps(found.to_json(), ensure_ascii=False, indent=1))
    else:
        _show(found)


def _read(files: list[str], raters: int) -> "list[Ratings]":
    from conceptloom.ratings.reading import read_ratings

    found = []
    for given in files:
        name, is_named, path = given.rpartition("=")
        model, _, criterion = name.rpartition(":")
        found += read_ratings(path, raters, model if is_named else None, criterion or None)
    return found


def _report(
    found: "list[Ratings]", level: str, *, comparisons: str | None, scores: str | None, system: str | None, method: str
) -> "Report":
    from conceptloom.ratings.agreement import agreement
    from conceptloom.ratings.correlation import correlations, sentence_scores
    from conceptloom.ratings.pairwise import hit_rates, rank_agreement, rankings, read_comparisons
    from conceptloom.ratings.reading import by_model, total
    from conceptloom.ratings.report import Report

    ranked = rankings(read_comparisons(comparisons)) if comparisons else {}
    totals = [one for some in by_model(found).values() if (one := total(some)) is not None]
    columns = sentence_scores(scores, system) if scores else {}
    return Report(
        agreements=[agreement(one, level) for one in found],
        level=level,
        hits=hit_rates(ranked),
        tau=rank_agreement(ranked),
        correlations=correlations(columns, [*found, *totals], method) if columns else [],
        method=method,
    )


def _write(report: "Report", directory: str) -> None:
    from conceptloom import storage
    from conceptloom.ratings.report import correlation_csv, report_page

    text = json.dumps(report.to_json(), ensure_ascii=False, indent=1) + "\n"
    storage.write_bytes(storage.join(directory, "ratings.json"), text.encode())
    storage.write_bytes(storage.join(directory, "ratings.html"), report_page(report).encode())
    if report.correlations:
        storage.write_bytes(storage.join(directory, "correlations.csv"), correlation_csv(report.correlations).encode())


def _show(report: "Report") -> None:
    from conceptloom.ratings.agreement import average_kappas
    from conceptloom.ratings.correlation import SIGNIFICANT
    from conceptloom.reporting.html import number

    agreements = [
        (one.model, one.criterion, str(one.items), number(one.mean), number(one.kappa, 3), number(one.alpha, 3))
        for one in report.agreements
    ]
    _table("Agreement", ("model", "criterion", "items", "mean", "Fleiss' kappa", f"alpha ({report.level})"), agreements)
    kappas = [(n, number(value, 3), str(m)) for n, (value, m) in average_kappas(report.agreements).items()]
    _table("Fleiss' kappa, mean over models", ("criterion", "kappa", "models"), kappas)
    hits = [(system, *(number(rate, 1) for rate in rates.values())) for system, rates in report.hits.items()]
    _table(f"Rankings, Kendall's tau {number(report.tau, 3)}", ("system", "Hit@1", "Hit@3", "Hit@5"), hits)
    humans = list(dict.fromkeys(c.human for c in report.correlations))
    rows: dict[str, list[str]] = {}
    for c in report.correlations:
        rows.setdefault(c.metric, [c.metric]).append(number(c.value, 3) + ("*" if c.p < SIGNIFICANT else " "))
    _table(f"Metrics and human scores: {report.method}, * p < {SIGNIFICANT}", ("metric", *humans), rows.values())


def _table(title: str, columns: tuple[str, ...], rows: Collection[Sequence[str]]) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from conceptloom.cli.console import wide_console

    if not rows:
        return
    table = Table(title=title, box=box.SIMPLE, title_justify="left")
    for at, name in enumerate(columns):
        table.add_column(name, justify="left" if at == 0 else "right")
    for row in rows:
        table.add_row(*map(escape, row))
    wide_console().print(table)
