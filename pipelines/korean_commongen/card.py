"""What the data cards of the recipe `korean-commongen` say."""

from conceptloom.corpus.units import COMPLETED
from conceptloom.json_values import JsonObject
from conceptloom.pipelines.build.card import Card, Column, about_frozen


def _about_splits(report: JsonObject) -> str:
    return about_frozen(report, "`split.validation` and `split.test`")


NOT_SCREENED = (
    "The paper's named-entity filter and its classifier of unethical sentences (section 3.1, Ethical Consideration) "
    "are not part of conceptloom yet: names are known by the tagger's tags alone, and offensive or biased sentences of "
    "the corpora are not left out. Screen the data before people or models get it."
)
"""What the paper does and the recipe does not."""


def _about_kept(report: JsonObject) -> str:
    completed = sum(report["records"].get(COMPLETED, {}).values())
    return f"{_about_completed(completed) if completed else ''}\n\n{NOT_SCREENED}"


def _about_completed(completed: int) -> str:
    return (
        f"\n\n{completed:,} sentences that were read were declaratives without their full stop, and were given it "
        "(`ingest.complete_declaratives`)."
    )


def _unseen(column: Column) -> str:
    if not column["unseen"]:
        return "-"
    sound = column["unseen"]["sound"]
    return " / ".join(f"{sound[name]:,}" for name in ("singles", "pairs", "triples"))


KOREAN = Card(
    "ko",
    (
        ("concept sets", lambda c: f"{c['sets']:,}"),
        ("unique concepts", lambda c: f"{c['unique_concepts']:,}"),
        ("average length (characters)", lambda c: f"{c['average_length']:.2f}"),
        ("unseen singles / pairs / triples", _unseen),
        ("sources (%)", lambda c: ", ".join(f"{name} {rate}" for name, rate in c["source_rates"].items())),
    ),
    _about_splits,
    "`data/` the splits: id, concepts (in a random order), target, references, source, locator · "
    "`published/` the same as JSON lines and text · `rejected/` every sentence that was left out, with stage and "
    "reason · `index/` the sentences of each concept with their centrality and rank · `report.json` counts and "
    "statistics · `config.yaml` the settings.",
    about_kept=_about_kept,
    caution=NOT_SCREENED,
)
