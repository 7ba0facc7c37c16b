"""`conceptloom ratings`."""

import json
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import typer

from conceptloom.errors import ConfigError

if TYPE_CHECKING:
    from conceptloom.ratings.correlation import Correlation
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
    systems: list[str] = typer.Option(
        [],
        "--system",
        help="MODEL=SYSTEM: which system in --scores a rated model is; may be repeated.",
    ),
    method: str = typer.Option("pearson", help="The correlation: pearson, spearman or kendall."),
    output: str | None = typer.Option(None, help="A directory for ratings.json, correlations.csv and ratings.html."),
    as_json: bool = typer.Option(False, "--json", help="Print the result as JSON."),
) -> None:
    """Analyses people's ratings of sentences: means, agreement, rankings, and correlations with metrics."""
    if not files and comparisons is None:
        raise ConfigError("nothing to read: name files of ratings, or give --comparisons FILE")
    found = _report(
        _read(files or [], raters), level, comparisons=comparisons, scores=scores, systems=systems, method=method
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
    found: "list[Ratings]", level: str, *, comparisons: str | None, scores: str | None, systems: list[str], method: str
) -> "Report":
    from conceptloom.ratings.agreement import agreement
    from conceptloom.ratings.pairwise import hit_rates, rank_agreement, rankings, read_comparisons
    from conceptloom.ratings.report import Report
    from conceptloom.ratings.systems import all_correlations, human_scores

    if systems and not scores:
        raise ConfigError("--system names a system of --scores: give that file too")
    ranked = rankings(read_comparisons(comparisons)) if comparisons else {}
    with_people, among_metrics = all_correlations(scores, found, systems, method) if scores and found else ([], [])
    return Report(
        agreements=[agreement(one, level) for one in found],
        level=level,
        hits=hit_rates(ranked),
        tau=rank_agreement(ranked),
        correlations=with_people,
        method=method,
        totals={one.model: one.mean for one in human_scores(found)[len(found) :]},
        metrics=among_metrics,
    )


def _write(report: "Report", directory: str) -> None:
    from conceptloom import storage
    from conceptloom.ratings.report import correlation_csv, report_page

    text = json.dumps(report.to_json(), ensure_ascii=False, indent=1) + "\n"
    storage.write_bytes(storage.join(directory, "ratings.json"), text.encode())
    storage.write_bytes(storage.join(directory, "ratings.html"), report_page(report).encode())
    for name, found in (("correlations.csv", report.correlations), ("metrics.csv", report.metrics)):
        if found:
            storage.write_bytes(storage.join(directory, name), correlation_csv(found).encode())


def _show(report: "Report") -> None:
    from conceptloom.ratings.agreement import average_kappas
    from conceptloom.ratings.correlation import SIGNIFICANT
    from conceptloom.reporting.html import number

    agreements = [
        (one.model, one.criterion, str(one.items), number(one.mean), number(one.kappa, 3), number(one.alpha, 3))
        for one in report.agreements
    ]
    _table("Agreement", ("model", "criterion", "items", "mean", "Fleiss' kappa", f"alpha ({report.level})"), agreements)
    columns, means = report.means()
    shown = [[one if isinstance(one, str) else number(one) for one in row] for row in means]
    _table("Means (TT: the total)", tuple(columns), shown)
    kappas = [(n, number(value, 3), str(m)) for n, (value, m) in average_kappas(report.agreements).items()]
    _table("Fleiss' kappa, mean over models", ("criterion", "kappa", "models"), kappas)
    hits = [(system, *(number(rate, 1) for rate in rates.values())) for system, rates in report.hits.items()]
    _table(f"Rankings, Kendall's tau {number(report.tau, 3)}", ("system", "Hit@1", "Hit@3", "Hit@5"), hits)
    _correlation_table(f"Metrics and human scores: {report.method}, * p < {SIGNIFICANT}", report.correlations)
    _correlation_table(f"Metrics and metrics: {report.method}, * p < {SIGNIFICANT}", report.metrics)


def _correlation_table(title: str, found: "Sequence[Correlation]") -> None:
    from conceptloom.ratings.correlation import SIGNIFICANT
    from conceptloom.reporting.html import number

    rows: dict[str, list[str]] = {}
    for c in found:
        rows.setdefault(c.metric, [c.metric]).append(number(c.value, 3) + ("*" if c.p < SIGNIFICANT else " "))
    _table(title, ("metric", *dict.fromkeys(c.human for c in found)), rows.values())


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
