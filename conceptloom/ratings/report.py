"""The results of `conceptloom ratings` as JSON, CSV and one HTML page."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from conceptloom.json_values import JsonObject
from conceptloom.ratings.agreement import Agreement, average_kappas
from conceptloom.ratings.correlation import SIGNIFICANT, Correlation
from conceptloom.reporting.finite import null_for_nan
from conceptloom.reporting.heatmap import Square, heat_map
from conceptloom.reporting.html import Safe, contents, document, element, number, p_text, scrolling, section, table


@dataclass(frozen=True)
class Report:
    """Means and agreement of every table of ratings, rankings from comparisons, and correlations.

    `totals` are the means of the sums over criteria, by model; `metrics` are correlations of metrics with each other.
    """

    agreements: list[Agreement] = field(default_factory=list)
    level: str = "ordinal"
    hits: dict[str, dict[int, float]] = field(default_factory=dict)
    tau: float = math.nan
    correlations: list[Correlation] = field(default_factory=list)
    method: str = "pearson"
    totals: dict[str, float] = field(default_factory=dict)
    metrics: list[Correlation] = field(default_factory=list)

    def means(self) -> tuple[list[str], list[list[str | float]]]:
        """Columns and rows of a table like the paper's tables 5 and 8: the means of each model, with the total TT."""
        criteria = list(dict.fromkeys(one.criterion for one in self.agreements))
        found = {(one.model, one.criterion): one.mean for one in self.agreements}
        models = list(dict.fromkeys(one.model for one in self.agreements))
        total = ["TT"] if self.totals else []
        rows: list[list[str | float]] = [
            [
                model,
                *(found.get((model, name), math.nan) for name in criteria),
                *(self.totals.get(model, math.nan) for _ in total),
            ]
            for model in models
        ]
        return ["Model", *criteria, *total], rows

    def to_json(self) -> JsonObject:
        """The report as JSON values, with null for values that are not known."""
        kappas = average_kappas(self.agreements)
        values = {
            "ratings": [row._asdict() for row in self.agreements],
            "level": self.level,
            "kappa": {name: {"mean": value, "models": models} for name, (value, models) in kappas.items()},
            "totals": self.totals,
            "hits": {system: {f"hit@{k}": rate for k, rate in rates.items()} for system, rates in self.hits.items()},
            "tau": self.tau,
            "method": self.method,
            "correlations": [row._asdict() for row in self.correlations],
            "metrics": [row._asdict() for row in self.metrics],
        }
        return {name: null_for_nan(value) for name, value in values.items()}


def correlation_csv(found: Sequence[Correlation]) -> str:
    """The correlations as CSV, one in each line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Correlation._fields)
    writer.writerows(found)
    return text.getvalue()


def report_page(report: Report, title: str = "Human ratings") -> str:
    """The report as one HTML file that opens offline."""
    parts = [_agreements(report), _rankings(report), _correlations(report), _metrics(report)]
    return document(title, contents(parts), *parts)


def correlation_map(found: Sequence[Correlation]) -> Safe:
    """The correlations as a heat map, as in the paper's figures 3 and 4: metrics across, human scores down.

    A star marks p < 0.05.
    """
    return heat_map([_square(one) for one in found], "correlation of metrics with human scores")


def _square(one: Correlation) -> Square:
    star = "*" if one.p < SIGNIFICANT else ""
    title = f"{one.metric} / {one.human}: p = {one.p:.2g}, n = {one.items}"
    return Square(one.metric, one.human, one.value, number(one.value) + star, title)


def _agreements(report: Report) -> Safe:
    if not report.agreements:
        return Safe("")
    header = (
        "Model",
        "Criterion",
        "Items",
        "Ratings",
        "Mean",
        "Fleiss' kappa",
        f"Krippendorff's alpha ({report.level})",
    )
    rows = [
        (
            one.model,
            one.criterion,
            str(one.items),
            str(one.ratings),
            one.mean,
            number(one.kappa, 3),
            number(one.alpha, 3),
        )
        for one in report.agreements
    ]
    kappas = average_kappas(report.agreements).items()
    averages = [(name, number(value, 3), str(models)) for name, (value, models) in kappas]
    caption = "Fleiss' kappa, mean over models"
    columns, means = report.means()
    of_models = [table(columns, means, "Means; TT: the total")] if len(columns) > 2 else []
    return section(
        "Agreement", *of_models, table(header, rows), table(("Criterion", "kappa", "Models"), averages, caption)
    )


def _rankings(report: Report) -> Safe:
    if not report.hits:
        return Safe("")
    ks = list(next(iter(report.hits.values())))
    rows: list[tuple[str | float, ...]] = [(system, *rates.values()) for system, rates in report.hits.items()]
    tau = element("p", f"Kendall's tau between raters: {number(report.tau, 3)}")
    return section("Rankings", table(("System", *(f"Hit@{k}" for k in ks)), rows), tau)


def _correlations(report: Report) -> Safe:
    if not report.correlations:
        return Safe("")
    rows = [(one.human, one.metric, number(one.value, 3), p_text(one.p), str(one.items)) for one in report.correlations]
    note = element(
        "p", f"{report.method.capitalize()} over sentences; * p < 0.05, not corrected for how many there are."
    )
    listed = table(("Human score", "Metric", "Correlation", "p", "Sentences"), rows)
    return section("Metrics and human scores", note, scrolling(correlation_map(report.correlations)), listed)


def _metrics(report: Report) -> Safe:
    if not report.metrics:
        return Safe("")
    return section("Metrics and metrics", scrolling(heat_map([_square(one) for one in report.metrics], "metrics")))
