"""The page of an evaluation: a single HTML file for any number of systems. `scores` and `parts` make its sections."""

from collections.abc import Sequence

from conceptloom.metrics.groups import Group
from conceptloom.metrics.page.listing import SCRIPT, listing
from conceptloom.metrics.page.parts import by_group, distributions
from conceptloom.metrics.page.scores import compared_systems, groups_of_systems, interval_plots, leaderboard
from conceptloom.metrics.page.sentences import differences, extremes
from conceptloom.metrics.page.systems import PageSystem, have_same_items, leading
from conceptloom.metrics.resampling.significance import Comparison
from conceptloom.reporting.html import Safe, contents, document, element, joined, section, table

FILES = {"scores.json": "all scores", "leaderboard.csv": "a row for each system", "sentences.parquet": "every sentence"}
"""What lies beside the page, in the folder of an evaluation."""


def evaluation_page(
    systems: Sequence[PageSystem],
    comparisons: Sequence[Comparison] = (),
    title: str = "Evaluation",
    *,
    groups: Sequence[Group] = (),
    warnings: Sequence[str] = (),
    files: bool = False,
) -> str:
    """The page of these systems, compared as `comparisons` say; with `files` it links to FILES beside it."""
    parts = [
        leaderboard(systems, comparisons),
        groups_of_systems(groups),
        interval_plots(systems),
        compared_systems(comparisons),
        distributions(systems),
        by_group("By number of concepts", systems, lambda item: len(item.concepts)),
        by_group("By source", systems, lambda item: item.source),
        _sentences(systems),
        listing(systems),
        _signatures(systems),
        _links() if files else "",
    ]
    warned = [element("p", element("strong", "Warning: "), text, class_="warning") for text in warnings]
    return document(title, _about(systems), *warned, contents(parts), *parts, script=SCRIPT)


def _about(systems: Sequence[PageSystem]) -> Safe:
    counts = (f"{system.name}: {len(system.items):,} predictions" for system in systems)
    return element("p", "; ".join(counts) + ".")


def _links() -> Safe:
    rows = [(element("a", name, href=name), what) for name, what in FILES.items()]
    return section("Files", table(("File", "Holds"), rows))


def _signatures(systems: Sequence[PageSystem]) -> Safe:
    """Last on the page, because signatures are long."""
    found = {(score.name, score.signature): None for system in systems for score in system.scores}
    rows = [(name, element("code", signature)) for name, signature in found]
    return section("Signatures", table(("Metric", "Signature"), rows))


def _sentences(systems: Sequence[PageSystem]) -> Safe:
    metric = leading(systems)
    if metric is None:
        return Safe("")
    note = element("p", "Struck out: concepts that the prediction lacks by the rule that the data set is built with.")
    folded = [element("details", element("summary", one.name), extremes(one, metric)) for one in systems]
    shown = [extremes(systems[0], metric)] if len(systems) == 1 else folded
    best_and_worst = section("Best and worst sentences", note, *shown)
    if len(systems) != 2 or not have_same_items(systems):
        return best_and_worst
    return joined([best_and_worst, section("Side by side", differences(systems[0], systems[1], metric))])
