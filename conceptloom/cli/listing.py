"""The commands `conceptloom recipes`, `formats`, `scorers` and `rules`, which list the names for settings."""

import json
from collections.abc import Iterable
from typing import Protocol

import typer


class Summarised(Protocol):
    """An entry of a registry with a one-line summary."""

    @property
    def summary(self) -> str:
        """The summary."""


class Summaries(Protocol):
    """A registry of such entries."""

    def items(self) -> Iterable[tuple[str, Summarised]]:
        """Returns the entries with their names."""


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    app.command()(recipes)
    app.command()(formats)
    app.command()(scorers)
    app.command()(rules)


def _show(entries: dict[str, str], as_json: bool) -> None:
    if as_json:
        print(json.dumps(entries, ensure_ascii=False, indent=1))
        return
    width = max(map(len, entries))
    for name, summary in entries.items():
        print(f"{name:<{width}}  {summary}")


_AS_JSON = typer.Option(False, "--json", help="Print the result as JSON.")


def recipes(as_json: bool = _AS_JSON) -> None:
    """Lists the recipes for `build`, `demo` and `estimate`."""
    from conceptloom.pipelines import RECIPES

    _show({name: recipe.summary for name, recipe in RECIPES.items()}, as_json)


def formats(as_json: bool = _AS_JSON) -> None:
    """Lists the input formats for --input NAME:FORMAT=PATTERN."""
    from conceptloom.readers import READERS

    _show({name: entry.summary for name, entry in READERS.items()}, as_json)


def scorers(as_json: bool = _AS_JSON) -> None:
    """Lists the similarity scorers for --set select.scorer=NAME."""
    from conceptloom.similarity import SCORERS

    _show({name: entry.summary for name, entry in SCORERS.items()}, as_json)


def rules(as_json: bool = _AS_JSON) -> None:
    """Lists concept rules, taggers, analysers, filters, policies and gates with the keys of their settings."""
    from conceptloom.filters import FILTERS
    from conceptloom.gates import GATES
    from conceptloom.languages.english.analysers import SUMMARIES
    from conceptloom.languages.korean.rules import RULES
    from conceptloom.languages.korean.taggers import TAGGERS
    from conceptloom.splits import POLICIES
    from conceptloom.splits.train_sets import TRAIN_POLICIES

    keys: dict[str, Summaries] = {
        "ingest.rule": RULES,
        "ingest.tagger": TAGGERS,
        "ingest.filters": FILTERS,
        "split.policy": POLICIES,
        "overlap.policy": TRAIN_POLICIES,
        "gates": GATES,
    }
    entries = {f"{key} {name}": entry.summary for key, table in keys.items() for name, entry in table.items()}
    entries.update({f"ingest.analyser {name}": summary for name, summary in SUMMARIES.items()})
    _show(entries, as_json)
