"""The documents of a finished build: report.json, config.yaml and the data card."""

import json

import yaml

from conceptloom import __version__, storage
from conceptloom.data_set import CARD, CONFIG, REPORT
from conceptloom.json_values import JsonObject
from conceptloom.pipelines.build.card import SPLITS, BuiltFiles, data_card
from conceptloom.pipelines.build.configuration import to_yaml
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.build.recipe import Recipe
from conceptloom.pipelines.build.settings import S
from conceptloom.tables import write_file


def build_report(context: Context[S], own: JsonObject) -> JsonObject:
    """Returns the report of a finished build: stage ledgers, the recipe's `own` part, statistics and timings."""
    manifests = context.manifests
    summaries = [manifest.summary for manifest in manifests.values()]
    return {
        "recipe": context.settings.recipe,
        "version": __version__,
        "inputs": list(context.plan.notes),
        "records": manifests[context.first].summary["numbers"],
        "stages": {name: manifest.ledger for name, manifest in manifests.items()},
        **own,
        "statistics": next(summary["statistics"] for summary in summaries if "statistics" in summary),
        "seconds": {name: manifest.seconds for name, manifest in manifests.items()},
    }


def write_documents(context: Context[S], recipe: Recipe[S]) -> list[JsonObject]:
    """Writes report.json, config.yaml and README.md into the build's directory; returns their manifest entries."""
    report = build_report(context, recipe.report(context))
    settings = yaml.safe_load(to_yaml(context.settings))
    shown = {name: value for name, value in settings.items() if name not in recipe.elsewhere}
    texts = {
        REPORT: json.dumps(report, ensure_ascii=False, indent=1) + "\n",
        CONFIG: to_yaml(context.settings),
        CARD: data_card(report, shown, _files(context), recipe.card),
    }
    written = {name: write_file(storage.join(context.output, name), text.encode(), 1) for name, text in texts.items()}
    return [{**file, "path": name} for name, file in written.items()]


def _files(context: Context[S]) -> BuiltFiles:
    """Returns the folders and splits that have rows."""
    last = context.manifests[context.stages[-1]]
    paths = [file["path"] for file in last.files if file["rows"]]
    splits = [split for split in SPLITS if any(path.startswith(f"data/{split}-") for path in paths)]
    return BuiltFiles({path.split("/")[0] for path in paths}, splits)
