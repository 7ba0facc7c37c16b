"""Scores systems: reads references and predictions, computes rows block by block and scores from all rows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from conceptloom import __version__, storage
from conceptloom.arrays.types import Float64
from conceptloom.errors import ConfigError
from conceptloom.metrics.base import BLOCK, PRESETS, Blockwise, Item, Metric, Options, Score, make_metrics
from conceptloom.metrics.inputs.answer_labels import wrong_labels
from conceptloom.metrics.inputs.input_notes import InputNote, InputNotes
from conceptloom.metrics.inputs.item_tables import blocks_of, items_of, table_of
from conceptloom.metrics.inputs.pairing import Paired, pair, pair_predictions
from conceptloom.metrics.inputs.predictions import Predictions
from conceptloom.metrics.inputs.references import SCHEMA as REFERENCES
from conceptloom.metrics.inputs.references import References, read_references
from conceptloom.metrics.naming import reference_paths, system_names
from conceptloom.metrics.people import NAME as PEOPLE
from conceptloom.metrics.people import mean_of_rounds, people_items

Rows: TypeAlias = list[Float64]
"""The rows of some items, for each blockwise metric."""

RowsOf: TypeAlias = Callable[[Sequence[Metric], pa.Table], Iterable[Rows]]
"""Returns the rows of all items, block by block (see `base.BLOCK`), in their order."""


@dataclass(frozen=True)
class System:
    """One file of predictions, scored. `items` has the schema `item_tables.SCHEMA`; scores' values are in its order."""

    name: str
    path: str
    against: References
    items: pa.Table
    scores: list[Score]
    notes: tuple[InputNote, ...] = ()
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The ends of each score's confidence interval by the score's name, where one was computed."""
    is_people: bool = False
    """Whether the predictions are the references' own sentences, each compared with the others of its set."""


@dataclass(frozen=True)
class Evaluation:
    """Systems that were scored by the same preset; `references` are those of all that have none of their own."""

    preset: str
    options: Mapping[str, str]
    references: References
    systems: list[System]


def evaluate(
    preset: str,
    options: Options,
    references: str,
    split: str,
    predictions: Sequence[str],
    *,
    rows_of_items: RowsOf | None = None,
    people: bool = False,
    own_references: Sequence[str] = (),
) -> Evaluation:
    """Scores each file of predictions, and with `people` the references' own sentences as the last system.

    `own_references` are SYSTEM,SYSTEM,…=PATH, where a system may be a pattern: these systems are compared with other
    references, as those of an ablation whose concept sets differ (Korean CommonGen, table 3).
    `rows_of_items` computes the rows, by default in this process; scores are the same, to the last digit, wherever they
    are computed. Raises ConfigError for an unknown preset or option or a missing package, InputError for an invalid
    file. Memory: the references and predictions; scoring goes block by block.
    """
    metrics = make_metrics(preset, options)
    if people and PRESETS[preset].items is not None:
        raise ConfigError(f"preset {preset} does not score sentences that people wrote for a set: omit --people")
    names = system_names(predictions, (PEOPLE,) if people else ())
    paths = reference_paths(own_references, names, references)
    against, read = _read(preset, references, split, list(zip(predictions, paths)))
    rows = rows_of_items or rows_here

    def scored(items: pa.Table) -> list[Score]:
        return scores_of(metrics, items, rows(metrics, items))

    systems = [
        make_system(name, path, paired, scored(paired.items), own)
        for name, path, (own, paired) in zip(names, predictions, read)
    ]
    if people:
        rounds, shown = people_items(against)
        means = mean_of_rounds(map(scored, rounds))
        systems.append(replace(make_system(PEOPLE, references, shown, means, against), is_people=True))
    return Evaluation(preset, options, against, systems)


def evaluate_system(preset: str, options: Options, against: References, found: Predictions) -> Evaluation:
    """Scores the predictions of one system, in this process; raises as `evaluate` does.

    Raises ConfigError for a preset that reads answers, which are in files.
    """
    metrics, own = make_metrics(preset, options), PRESETS[preset]
    if own.items is not None:
        raise ConfigError(f"preset {preset} reads files of answers: use conceptloom evaluate")
    paired = pair_predictions(against, found, own.by_set)
    scores = scores_of(metrics, paired.items, rows_here(metrics, paired.items))
    (name,) = system_names([found.path])
    return Evaluation(preset, options, against, [make_system(name, found.path, paired, scores, against)])


def _read(
    preset: str, references: str, split: str, predictions: Sequence[tuple[str, str]]
) -> tuple[References, list[tuple[References, Paired]]]:
    """Reads `references`, and each file of predictions with the references at the path that is given with it."""
    own = PRESETS[preset]
    if own.items is None:
        read = {
            path: read_references(path, split)
            for path in dict.fromkeys([references, *(path for _, path in predictions)])
        }
        return read[references], [(read[of], pair(read[of], path, own.by_set)) for path, of in predictions]
    paired = [_noted(path, own.items(of, path)) for path, of in predictions]
    read_from = [References(of, one.items.select(REFERENCES.names)) for one, (_, of) in zip(paired, predictions)]
    return read_from[0], list(zip(read_from, paired))


def _noted(path: str, items: Sequence[Item]) -> Paired:
    """Items that a preset read itself, with the notes that `inputs.pairing` would make."""
    notes = InputNotes(path)
    if not storage.read_bytes(path).endswith(b"\n"):
        notes.add("no_final_newline")
    if empty := sum(not item.prediction for item in items):
        notes.add("empty_predictions", times=empty)
    if wrong := wrong_labels(items):
        notes.add("invalid_answers", times=wrong.times, detail=wrong.detail)
    return Paired(table_of(items), notes.collected())


def rows_of(metrics: Sequence[Metric], block: pa.Table) -> Rows:
    """The rows of one block of items (schema `item_tables.SCHEMA`)."""
    items = items_of(block)
    return [metric.rows(items) for metric in metrics if isinstance(metric, Blockwise)]


def rows_here(metrics: Sequence[Metric], items: pa.Table) -> Iterable[Rows]:
    """The rows of all items, computed block by block in this process."""
    return (rows_of(metrics, block) for block in blocks_of(items, BLOCK))


def scores_of(metrics: Sequence[Metric], items: pa.Table, blocks: Iterable[Rows]) -> list[Score]:
    """All scores of the items, given the rows of their blocks in order. Metrics that are not blockwise run here."""
    rows = iter([np.concatenate(parts) for parts in zip(*blocks)])
    every = None if all(isinstance(metric, Blockwise) for metric in metrics) else items_of(items)
    scores: list[Score] = []
    for metric in metrics:
        scores += metric.scores(next(rows)) if isinstance(metric, Blockwise) else metric(every or [])
    return scores


def make_system(name: str, path: str, paired: Paired, scores: Iterable[Score], references: References) -> System:
    """A scored system; each signature is extended by this program's version and the digest of the references."""
    against = f"|conceptloom:{__version__}|references:{references.digest}"
    signed = [replace(score, signature=score.signature + against) for score in scores]
    return System(name, path, references, paired.items, signed, references.notes + paired.notes)
