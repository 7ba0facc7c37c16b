"""What a finished build says of itself: report.json, config.yaml, and the data card."""

import json
from typing import Any

import yaml

from conceptloom import __version__, storage
from conceptloom.pipelines.build.card import Card, data_card
from conceptloom.pipelines.build.recipe import Context
from conceptloom.pipelines.build.settings import to_yaml


def build_report(context: Context, **own: Any) -> dict[str, Any]:
    """The report of a finished build: the ledger of each stage, what is the recipe's `own`, statistics, timings."""
    manifests = context.manifests
    return {
        "recipe": context.settings.recipe,
        "version": __version__,
        "inputs": list(context.plan.notes),
        "records": manifests["ingest"].summary["numbers"],
        "stages": {name: manifest.ledger for name, manifest in manifests.items()},
        **own,
        "statistics": manifests["split"].summary["statistics"],
        "seconds": {name: manifest.seconds for name, manifest in manifests.items()},
    }


def write_documents(context: Context, report: dict[str, Any], card: Card) -> None:
    """Writes report.json, config.yaml and README.md into the build's directory."""
    texts = {
        "report.json": json.dumps(report, ensure_ascii=False, indent=1) + "\n",
        "config.yaml": to_yaml(context.settings),
        "README.md": data_card(report, yaml.safe_load(to_yaml(context.settings)), _has(context), card),
    }
    for name, text in texts.items():
        storage.write_bytes(storage.join(context.output, name), text.encode())


def _has(context: Context) -> set[str]:
    files = context.manifests["publish"].files
    return {file["path"].split("/")[0] for file in files if file["rows"]}
