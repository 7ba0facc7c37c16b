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
from conceptloom.reporting.html import Safe, document, element, joined, number, p_text, table


@dataclass(frozen=True)
class Report:
    """Means and agreement of every table of ratings, rankings from comparisons, and correlations with metrics."""

    agreements: list[Agreement] = field(default_factory=list)
    level: str = "ordinal"
    hits: dict[str, dict[int, float]] = field(default_factory=dict)
    tau: float = math.nan
    correlations: list[Correlation] = field(default_factory=list)
    method: str = "pearson"

    def to_json(self) -> JsonObject:
        """The report as JSON values, with null for values that are not known."""
        kappas = average_kappas(self.agreements)
        values = {
            "ratings": [row._asdict() for row in self.agreements],
            "level": self.level,
            "kappa": {name: {"mean": value, "models": models} for name, (value, models) in kappas.items()},
            "hits": {system: {f"hit@{k}": rate for k, rate in rates.items()} for system, rates in self.hits.items()},
            "tau": self.tau,
            "method": self.method,
            "correlations": [row._asdict() for row in self.correlations],
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
    return document(title, _agreements(report), _rankings(report), _correlations(report))


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
    return joined(
        [element("h2", "Agreement"), table(header, rows), table(("Criterion", "kappa", "Models"), averages, caption)]
    )


def _rankings(report: Report) -> Safe:
    if not report.hits:
        return Safe("")
    ks = list(next(iter(report.hits.values())))
    rows: list[tuple[str | float, ...]] = [(system, *rates.values()) for system, rates in report.hits.items()]
    tau = element("p", f"Kendall's tau between raters: {number(report.tau, 3)}")
    return joined([element("h2", "Rankings"), table(("System", *(f"Hit@{k}" for k in ks)), rows), tau])


def _correlations(report: Report) -> Safe:
    if not report.correlations:
        return Safe("")
    rows = [(one.human, one.metric, number(one.value, 3), p_text(one.p), str(one.items)) for one in report.correlations]
    note = element(
        "p", f"{report.method.capitalize()} over sentences; * p < 0.05, not corrected for how many there are."
    )
    listed = table(("Human score", "Metric", "Correlation", "p", "Sentences"), rows)
    return joined([element("h2", "Metrics and human scores"), note, correlation_map(report.correlations), listed])
