"""Writes an evaluation as JSON, as the rows of a leaderboard, and sentence by sentence."""

import csv
import io
import json
import math
from collections.abc import Sequence

import pyarrow as pa

from conceptloom import __version__, storage
from conceptloom.arrays.building import float_array, text_array
from conceptloom.json_values import JsonObject
from conceptloom.metrics.base import Score
from conceptloom.metrics.certainty import Resampling
from conceptloom.metrics.evaluation import Evaluation, System
from conceptloom.metrics.groups import Group
from conceptloom.metrics.inputs.references import References
from conceptloom.metrics.resampling.significance import Comparison
from conceptloom.reporting.finite import null_for_nan
from conceptloom.tables import write_table

SCORES, LEADERBOARD, SENTENCES = "scores.json", "leaderboard.csv", "sentences.parquet"
"""The files of an evaluation's output."""


def write_evaluation(evaluation: Evaluation, result: JsonObject, directory: str) -> list[str]:
    """Writes the files of an evaluation, with `result` (see `to_json`) as scores.json; returns their paths."""
    text = json.dumps(result, ensure_ascii=False, indent=1) + "\n"
    storage.write_bytes(storage.join(directory, SCORES), text.encode())
    storage.write_bytes(storage.join(directory, LEADERBOARD), leaderboard(evaluation).encode())
    write_table(storage.join(directory, SENTENCES), sentences(evaluation))
    return [storage.join(directory, name) for name in (SCORES, LEADERBOARD, SENTENCES)]


def to_json(
    evaluation: Evaluation, compared: Sequence[Comparison], how: Resampling, groups: Sequence[Group] = ()
) -> JsonObject:
    """The evaluation as JSON values: references, scores with signatures, notes on the files, comparisons, groups."""
    return {
        "preset": evaluation.preset,
        "options": dict(evaluation.options),
        "version": __version__,
        "references": _references(evaluation.references),
        "systems": [_system(system, evaluation.references) for system in evaluation.systems],
        "resampling": how.to_json(),
        "comparisons": [_comparison(one) for one in compared],
        "groups": [_group(one) for one in groups],
    }


def leaderboard(evaluation: Evaluation) -> str:
    """A CSV table with a row for each system, scores with two decimals as papers print them, empty if not known."""
    names = [score.name for score in evaluation.systems[0].scores]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["system", "preset", "items", *names, "references", "version"])
    for system in evaluation.systems:
        scores = (f"{score.value:.2f}" if math.isfinite(score.value) else "" for score in system.scores)
        about = (system.against.digest, __version__)
        writer.writerow([system.name, evaluation.preset, len(system.items), *scores, *about])
    return text.getvalue()


def sentences(evaluation: Evaluation) -> pa.Table:
    """A row for each prediction of each system: the item, and a column for each metric that scores sentences."""
    return pa.concat_tables([sentences_of(system) for system in evaluation.systems], promote_options="default")


def _references(references: References) -> JsonObject:
    return {
        "path": references.path,
        "sets": len(references.sets),
        "sentences": references.sentences,
        "digest": references.digest,
    }


def _system(system: System, shared: References) -> JsonObject:
    own = {} if system.against.digest == shared.digest else {"references": _references(system.against)}
    return {
        "name": system.name,
        "path": system.path,
        **own,
        "items": len(system.items),
        "notes": [note.to_json() for note in system.notes],
        "scores": [_score(score, system) for score in system.scores],
    }


def _score(score: Score, system: System) -> JsonObject:
    value = score.value if math.isfinite(score.value) else None
    interval = system.intervals.get(score.name)
    found = {"name": score.name, "value": value, "signature": score.signature}
    return found if interval is None else {**found, "interval": list(interval)}


def _comparison(one: Comparison) -> JsonObject:
    values = {**one._asdict(), "interval": list(one.interval)}
    return {name: null_for_nan(value) for name, value in values.items()}


def _group(group: Group) -> JsonObject:
    scores = [null_for_nan(score._asdict()) for score in group.scores]
    return {"name": group.name, "systems": list(group.systems), "scores": scores}


def sentences_of(system: System) -> pa.Table:
    """A row for each prediction of one system; see `sentences`."""
    names = text_array([system.name] * len(system.items))
    table = system.items.add_column(0, pa.field("system", pa.string()), names)
    for score in system.scores:
        # A metric may score something other than items, such as concept sets that several items share.
        if score.values is not None and len(score.values) == len(table):
            table = table.append_column(pa.field(score.name, pa.float64()), float_array(score.values))
    return table
