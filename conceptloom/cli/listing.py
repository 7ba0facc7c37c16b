"""`conceptloom recipes`, `formats`, `scorers`, `rules`: what can be named in a configuration."""

import json
from typing import Any

import typer


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


_AS_JSON = typer.Option(False, "--json", help="Print JSON.")


def recipes(as_json: bool = _AS_JSON) -> None:
    """The recipes that `build`, `demo` and `estimate` may name."""
    from conceptloom.pipelines import RECIPES

    _show({name: recipe.summary for name, recipe in RECIPES.items()}, as_json)


def formats(as_json: bool = _AS_JSON) -> None:
    """The raw formats that --input NAME:FORMAT may name."""
    from conceptloom.readers import READERS

    _show({name: entry.summary for name, entry in READERS.items()}, as_json)


def scorers(as_json: bool = _AS_JSON) -> None:
    """The scorers that --set select.scorer may name."""
    from conceptloom.similarity import SCORERS

    _show({name: entry.summary for name, entry in SCORERS.items()}, as_json)


def rules(as_json: bool = _AS_JSON) -> None:
    """Concept rules, taggers, analysers, filters, policies and gates, by the key of their setting."""
    from conceptloom.filters import FILTERS
    from conceptloom.gates import GATES
    from conceptloom.languages.english.analysers import SUMMARIES
    from conceptloom.languages.korean.rules import RULES
    from conceptloom.languages.korean.taggers import TAGGERS
    from conceptloom.registry import Registry
    from conceptloom.splits import POLICIES
    from conceptloom.splits.train_sets import TRAIN_POLICIES

    keys: dict[str, Registry[Any]] = {
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
