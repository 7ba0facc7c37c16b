"""What the data cards of the recipe `commongen` say."""

from conceptloom.json_values import JsonObject
from conceptloom.pipelines.build.card import Card, Column, about_frozen
from conceptloom.tasks.commongen.sample import QUANTILES

_NAMES = ("concepts", "pairs", "triples")


def _distinct(column: Column) -> str:
    return " / ".join(f"{column['distinct'][name]:,}" for name in _NAMES)


def _unseen(column: Column) -> str:
    shares = column["unseen_percent"]
    return "-" if shares is None else " / ".join(f"{shares[name]:.2f}" for name in _NAMES)


def _sizes(column: Column) -> str:
    return ", ".join(f"{size}: {number:,}" for size, number in column["sizes"].items())


PUBLISHED_SUPPORT = (1, 2, 5, 13, 43)
"""The support of the 608 published dev sets that 346,959 English captions hold, at QUANTILES (docs/commongen.md)."""


def _support(report: JsonObject) -> str:
    """The table of how many sentences hold a set of dev and of test."""
    found = {**report["held_out_support"]}
    if not found:
        return ""
    found["the published dev, in 347,000 captions"] = dict(zip(map(str, QUANTILES), PUBLISHED_SUPPORT))
    head = "| sentences that hold a set, at | " + " | ".join(f"{quantile} %" for quantile in QUANTILES) + " |"
    lines = [f"| {name} | {' | '.join(str(one[str(at)]) for at in QUANTILES)} |" for name, one in found.items()]
    return "\n\n" + "\n".join([head, "|---" * (len(QUANTILES) + 1) + "|", *lines])


def _about(report: JsonObject) -> str:
    sets, capped, bare = report["mined"], report["capped"], report["without_references"]
    analyser, conceptnet = " ".join(report["analyser"].values()), report["conceptnet"]
    text = (
        f"\n\nConcepts are lemmas of nouns and verbs (analyser: {analyser}) that are among the "
        f"{conceptnet['concepts']:,} single words of `{conceptnet['file']}` (`--conceptnet`; ConceptNet's own files "
        f"are CC BY-SA 4.0). {sum(sets['sets'].values()):,} distinct concept sets stand in the sentences "
        f"({sets['sum_of_supports']:,} times), without the {len(report['stop_concepts'])} concepts of "
        f"`mine.stop_concepts`. The references that validation and test have are captions of the "
        f"corpora, and train has none of these captions; {bare['validation']:,} sets of validation and "
        f"{bare['test']:,} of test have none. `annotation/` holds a task for each of their sets, for references "
        "written by people."
    )
    if capped["sentences"]:
        text += (
            f" {sum(capped['sentences'].values()):,} sentences had more concepts than `mine.max_concepts`; their most "
            f"frequent ones, {sum(capped['concepts'].values()):,} in all, were passed over."
        )
    over = report["over_train_references"]
    if over["sets"]:
        text += (
            f" {over['sets']:,} sets of train have more than `overlap.train_references` captions; "
            f"{sum(over['captions'].values()):,} times a caption was left out of one."
        )
    return text + _support(report) + about_frozen(report, "`quotas` and `overlap.references`")


ENGLISH = Card(
    "en",
    (
        ("concept sets", lambda c: f"{c['sets']:,}"),
        ("by size", _sizes),
        ("sentences", lambda c: f"{c['sentences']:,}"),
        ("sentences per set", lambda c: f"{c['sentences_per_set']:.2f}"),
        ("average length (words)", lambda c: f"{c['average_length']:.2f}"),
        ("unique concepts / pairs / triples", _distinct),
        ("of these unseen in train (%)", _unseen),
    ),
    _about,
    "`data/` the splits: id, concepts (in a random order), target (the first reference), references, source and "
    "locator of the target · `published/` the same as JSON lines and parallel text (an empty line for a set that "
    "waits for its references) · `annotation/` validation and test sets as tasks for writers · `rejected/` every "
    "sentence and concept set that was left out, with stage and reason · `index/` the candidate sets with what their "
    "scores are made of · `report.json` counts and statistics · "
    "`config.yaml` the settings.",
)
