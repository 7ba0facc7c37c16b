"""The data card: README.md of a built data set, with the header that Hugging Face's loader reads."""

from collections.abc import Callable
from typing import NamedTuple

import yaml

from conceptloom.json_values import JsonObject

SPLITS = ("train", "validation", "test")
Column = JsonObject
"""The statistics of one split."""


class Card(NamedTuple):
    """The parts of a data card that are specific to one recipe."""

    language: str
    """The language code, such as ko."""
    rows: tuple[tuple[str, Callable[[Column], str]], ...]
    """The label of each row of the table of splits, and the function that formats its cells."""
    about_splits: Callable[[JsonObject], str]
    """Returns the text below this table, given the report."""
    files: str
    """Describes the folders."""
    about: str = (
        "# A data set for generative commonsense reasoning\n\nGiven a set of concepts, write one everyday "
        "sentence that uses all of them. "
    )
    """The title and a description of the task."""
    tasks: tuple[str, ...] = ("text-generation",)
    """Hugging Face task categories."""
    about_kept: Callable[[JsonObject], str] = lambda report: ""
    """Returns the text below the table of what was kept, given the report."""
    caution: str = ""
    """What users of the data must know: the card of a variant, which has no such table, says it too."""


class BuiltFiles(NamedTuple):
    """The folders and the splits of a build that have rows; the splits are in order."""

    folders: set[str]
    splits: list[str]


def data_card(report: JsonObject, settings: JsonObject, files: BuiltFiles, card: Card) -> str:
    """Returns the text of the card, given the report and the settings that define the data set."""
    parts = [
        _header(files, card),
        _summary(report, card),
        _splits(report, card),
        _ledger(report) + card.about_kept(report),
        f"## Files\n\n{card.files}",
        _settings(settings),
    ]
    return "\n\n".join(parts) + "\n"


def variant_card(report: JsonObject, about: str, files: BuiltFiles, card: Card) -> str:
    """Returns the text of the card of a variant, given the report of its build with the variant's own statistics.

    `about` says what was changed.
    """
    parts = [
        _header(files, card),
        f"{_summary(report, card)}\n\n{about}",
        _splits({**report, "frozen": None}, card),
        *([card.caution] if card.caution else []),
        "## Files\n\n`data/` the splits, with the columns of the build · `published/` the same as JSON lines and text"
        + (" · `rejected/` the rows that were left out" if "rejected" in files.folders else "")
        + " · `variant.json` the build and the change.",
    ]
    return "\n\n".join(parts) + "\n"


def _header(files: BuiltFiles, card: Card) -> str:
    data = [{"split": split, "path": f"data/{split}-*.parquet"} for split in files.splits]
    configs: list[JsonObject] = [{"config_name": "default", "default": True, "data_files": data}]
    for name in ("rejected", "index"):
        if name in files.folders:
            configs.append({"config_name": name, "data_files": [{"split": "train", "path": f"{name}/*.parquet"}]})
    header = {"language": [card.language], "task_categories": list(card.tasks), "configs": configs}
    return f"---\n{yaml.safe_dump(header, sort_keys=False)}---"


def _summary(report: JsonObject, card: Card) -> str:
    inputs = "\n".join(f"- {note}" for note in report["inputs"])
    return (
        f"{card.about}Made by conceptloom {report['version']}, recipe `{report['recipe']}`, from\n\n"
        f"{inputs}\n\n"
        "The sentences are those of the corpora above and keep their licences."
    )


def _splits(report: JsonObject, card: Card) -> str:
    rows = ["| | " + " | ".join(report["statistics"]) + " |", "|---" * (1 + len(report["statistics"])) + "|"]
    columns = list(report["statistics"].values())
    for label, value in card.rows:
        rows.append(f"| {label} | " + " | ".join(value(column) for column in columns) + " |")
    return "## Splits\n\n" + "\n".join(rows) + card.about_splits(report)


def about_frozen(report: JsonObject, unused: str) -> str:
    """Returns the paragraph on frozen validation and test splits, or an empty string if none are frozen."""
    if not report["frozen"]:
        return ""
    return (
        "\n\nValidation and test are those of an earlier build, byte for byte "
        f"(digest `{report['frozen']['digest']}`): train was screened against them under the policy below, and "
        f"{unused} were not used. Their locators are of the corpora of that build."
    )


def _ledger(report: JsonObject) -> str:
    rows = ["| stage | source | read | kept | rejected |", "|---|---|---|---|---|"]
    for stage, sources in report["stages"].items():
        for source, counts in sources.items():
            reasons = ", ".join(f"{reason} {number:,}" for reason, number in counts["rejected"].items()) or "-"
            rows.append(f"| {stage} | {source} | {counts['read']:,} | {counts['kept']:,} | {reasons} |")
    return "## What was kept and what was left out\n\n" + "\n".join(rows)


def _settings(settings: JsonObject) -> str:
    return f"## Settings\n\n```yaml\n{yaml.safe_dump(settings, allow_unicode=True, sort_keys=False)}```"
