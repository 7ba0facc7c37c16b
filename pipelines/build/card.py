"""The data card: README.md of a built data set, with the header that Hugging Face's loader reads."""

from collections.abc import Callable
from typing import Any, NamedTuple

import yaml

_ELSEWHERE = ("inputs", "conceptnet", "frozen", "resources")
_SPLITS = ("train", "validation", "test")


Column = dict[str, Any]


class Card(NamedTuple):
    """What the cards of a recipe say that those of others do not."""

    language: str
    rows: tuple[tuple[str, Callable[[Column], str]], ...]
    """Labels and cells of the table of splits."""
    about_splits: Callable[[dict[str, Any]], str]
    """What stands below this table, from the report."""
    files: str


def data_card(report: dict[str, Any], settings: dict[str, Any], folders: set[str], card: Card) -> str:
    """The card's text. `folders` are those of the build's directory that hold rows."""
    parts = [
        _header(report, folders, card.language),
        _summary(report),
        _splits(report, card),
        _ledger(report),
        f"## Files\n\n{card.files}",
        _settings(settings),
    ]
    return "\n\n".join(parts) + "\n"


def _header(report: dict[str, Any], folders: set[str], language: str) -> str:
    held = [split for split in _SPLITS if split in report["statistics"] and report["statistics"][split]["sets"]]
    files = [{"split": split, "path": f"data/{split}-*.parquet"} for split in held]
    configs: list[dict[str, Any]] = [{"config_name": "default", "default": True, "data_files": files}]
    for name in ("rejected", "index"):
        if name in folders:
            configs.append({"config_name": name, "data_files": [{"split": "train", "path": f"{name}/*.parquet"}]})
    header = {"language": [language], "task_categories": ["text-generation"], "configs": configs}
    return f"---\n{yaml.safe_dump(header, sort_keys=False)}---"


def _summary(report: dict[str, Any]) -> str:
    inputs = "\n".join(f"- {note}" for note in report["inputs"])
    return (
        "# A data set for generative commonsense reasoning\n\nGiven a set of concepts, write one everyday "
        "sentence that uses all of them. "
        f"Made by conceptloom {report['version']}, recipe `{report['recipe']}`, from\n\n"
        f"{inputs}\n\n"
        "The sentences are those of the corpora above and keep their licences."
    )


def _splits(report: dict[str, Any], card: Card) -> str:
    rows = ["| | " + " | ".join(report["statistics"]) + " |", "|---" * (1 + len(report["statistics"])) + "|"]
    columns = list(report["statistics"].values())
    for label, value in card.rows:
        rows.append(f"| {label} | " + " | ".join(value(column) for column in columns) + " |")
    return "## Splits\n\n" + "\n".join(rows) + card.about_splits(report)


def about_frozen(report: dict[str, Any], unused: str) -> str:
    """The paragraph on validation and test of an earlier build, empty where they are the build's own."""
    if not report["frozen"]:
        return ""
    return (
        "\n\nValidation and test are those of an earlier build, byte for byte "
        f"(digest `{report['frozen']['digest']}`): train was screened against them under the policy below, and "
        f"{unused} were not used. Their locators are of the corpora of that build."
    )


def _about_splits(report: dict[str, Any]) -> str:
    return about_frozen(report, "`split.validation` and `split.test`")


def _unseen(column: dict[str, Any]) -> str:
    if not column["unseen"]:
        return "-"
    sound = column["unseen"]["sound"]
    return " / ".join(f"{sound[name]:,}" for name in ("singles", "pairs", "triples"))


def _ledger(report: dict[str, Any]) -> str:
    rows = ["| stage | source | read | kept | rejected |", "|---|---|---|---|---|"]
    for stage, sources in report["stages"].items():
        for source, counts in sources.items():
            reasons = ", ".join(f"{reason} {number:,}" for reason, number in counts["rejected"].items()) or "-"
            rows.append(f"| {stage} | {source} | {counts['read']:,} | {counts['kept']:,} | {reasons} |")
    return "## What was kept and what was left out\n\n" + "\n".join(rows)


def _settings(settings: dict[str, Any]) -> str:
    # Where the files stood and where the steps ran is not what the data set is.
    shown = {name: value for name, value in settings.items() if name not in _ELSEWHERE}
    return f"## Settings\n\n```yaml\n{yaml.safe_dump(shown, allow_unicode=True, sort_keys=False)}```"


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
)
