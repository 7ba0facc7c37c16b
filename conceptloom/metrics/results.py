"""An evaluation as JSON values, as rows of a leaderboard, and sentence by sentence."""

import csv
import io
import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from conceptloom import __version__, storage
from conceptloom.metrics.base import Score
from conceptloom.metrics.evaluation import Evaluation, System
from conceptloom.metrics.page.certainty import Resampling, comparison_json
from conceptloom.metrics.resampling.bootstrap import Comparison
from conceptloom.tables import write_table

SCORES, LEADERBOARD, SENTENCES = "scores.json", "leaderboard.csv", "sentences.parquet"
"""The files of an evaluation's output."""


def write_evaluation(evaluation: Evaluation, result: dict[str, Any], directory: str) -> list[str]:
    """Writes the evaluation's files, `result` (see `to_json`) among them; answers their paths."""
    text = json.dumps(result, ensure_ascii=False, indent=1) + "\n"
    storage.write_bytes(storage.join(directory, SCORES), text.encode())
    storage.write_bytes(storage.join(directory, LEADERBOARD), leaderboard(evaluation).encode())
    write_table(storage.join(directory, SENTENCES), sentences(evaluation))
    return [storage.join(directory, name) for name in (SCORES, LEADERBOARD, SENTENCES)]


def to_json(evaluation: Evaluation, compared: Sequence[Comparison], how: Resampling) -> dict[str, Any]:
    """The evaluation as JSON values: scores with signatures, notes, what they were held against, comparisons."""
    references = evaluation.references
    return {
        "preset": evaluation.preset,
        "options": dict(evaluation.options),
        "version": __version__,
        "references": {
            "path": references.path,
            "sets": len(references.sets),
            "sentences": references.sentences,
            "digest": references.digest,
        },
        "systems": [_system(system) for system in evaluation.systems],
        "resampling": how.to_json(),
        "comparisons": [comparison_json(one) for one in compared],
    }


def leaderboard(evaluation: Evaluation) -> str:
    """A CSV table with a row for each system, scores to two decimals as papers print them; empty: not known."""
    names = [score.name for score in evaluation.systems[0].scores]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["system", "preset", "items", *names, "references", "version"])
    for system in evaluation.systems:
        scores = (f"{score.value:.2f}" if math.isfinite(score.value) else "" for score in system.scores)
        about = (evaluation.references.digest, __version__)
        writer.writerow([system.name, evaluation.preset, len(system.items), *scores, *about])
    return text.getvalue()


def sentences(evaluation: Evaluation) -> pa.Table:
    """A row for each prediction of each system: the item, and a column for each metric that scores sentences."""
    return pa.concat_tables([_sentences(system) for system in evaluation.systems], promote_options="default")


def _system(system: System) -> dict[str, Any]:
    return {
        "name": system.name,
        "path": system.path,
        "items": len(system.items),
        "notes": [note.to_json() for note in system.notes],
        "scores": [_score(score, system) for score in system.scores],
    }


def _score(score: Score, system: System) -> dict[str, Any]:
    value = score.value if math.isfinite(score.value) else None
    interval = system.intervals.get(score.name)
    found = {"name": score.name, "value": value, "signature": score.signature}
    return found if interval is None else {**found, "interval": list(interval)}


def _sentences(system: System) -> pa.Table:
    names = pa.array(np.full(len(system.items), system.name))
    table = system.items.add_column(0, pa.field("system", pa.string()), names)
    for score in system.scores:
        # A metric may score other things than items, such as concept sets that several items share.
        if score.values is not None and len(score.values) == len(table):
            table = table.append_column(pa.field(score.name, pa.float64()), pa.array(score.values))
    return table
