"""Scores of systems: items in, scores out, whoever works on which block of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from conceptloom import __version__, storage
from conceptloom.errors import ConfigError
from conceptloom.metrics.base import BLOCK, PRESETS, Blockwise, Item, Metric, Options, Score, make_metrics
from conceptloom.metrics.inputs.input_notes import Note, NoteBook
from conceptloom.metrics.inputs.items import Paired, blocks_of, items_of, pair, table_of
from conceptloom.metrics.inputs.references import SCHEMA as REFERENCES
from conceptloom.metrics.inputs.references import References, read_references
from conceptloom.metrics.resampling.people import NAME as PEOPLE
from conceptloom.metrics.resampling.people import mean_of_rounds, people_items

Rows = list[NDArray[np.float64]]
"""For each blockwise metric the rows of some items."""

RowsOf = Callable[[Sequence[Metric], pa.Table], Iterable[Rows]]
"""The rows of all items, block by block (see `base.BLOCK`), in their order."""


@dataclass(frozen=True)
class System:
    """One file of predictions, scored. `items` has the schema of `inputs.SCHEMA`; scores have values in its order."""

    name: str
    path: str
    items: pa.Table
    scores: list[Score]
    notes: tuple[Note, ...] = ()
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By a score's name the ends of its confidence interval, where one was computed."""
    is_people: bool = False
    """Whether it is the references' own sentences, each held against the others of its set."""


@dataclass(frozen=True)
class Evaluation:
    """Systems that were held against the same references by the same preset."""

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
    rows_of_items: RowsOf | None = None,
    people: bool = False,
) -> Evaluation:
    """Scores each file of predictions. The scores are the same, to the last digit, whoever works out the rows.

    That is this process, if no one is named. With `people` the references' own sentences are a system too, the last
    one. Raises ConfigError for a preset, an option or a package that is not there,
    InputError for an input. Memory: references and predictions; the work goes block by block.
    """
    metrics = make_metrics(preset, options)
    if people and PRESETS[preset].items is not None:
        raise ConfigError(f"preset {preset} is not of sentences that people wrote of a set: leave out --people")
    held, paired = _read(preset, references, split, predictions)
    systems = []
    rows = rows_of_items or rows_here
    names = system_names(predictions, (PEOPLE,) if people else ())
    for name, path, found in zip(names, predictions, paired):
        scores = scores_of(metrics, found.items, rows(metrics, found.items))
        systems.append(make_system(name, path, found, scores, held))
    if people:
        rounds, shown = people_items(held)
        means = mean_of_rounds(scores_of(metrics, items, rows(metrics, items)) for items in rounds)
        systems.append(replace(make_system(PEOPLE, references, shown, means, held), is_people=True))
    return Evaluation(preset, options, held, systems)


def _read(preset: str, references: str, split: str, predictions: Sequence[str]) -> tuple[References, list[Paired]]:
    own = PRESETS[preset]
    if own.items is None:
        held = read_references(references, split)
        return held, [pair(held, path, own.by_set) for path in predictions]
    paired = [_noted(path, own.items(references, path)) for path in predictions]
    return References(references, paired[0].items.select(REFERENCES.names)), paired


def _noted(path: str, items: Sequence[Item]) -> Paired:
    """Items that a preset has read itself, with what `inputs.pair` would note."""
    book = NoteBook(path)
    if not storage.read_bytes(path).endswith(b"\n"):
        book.add("no_final_newline")
    if empty := sum(not item.prediction for item in items):
        book.add("empty_predictions", times=empty)
    return Paired(table_of(items), book.notes())


def rows_of(metrics: Sequence[Metric], block: pa.Table) -> Rows:
    """The rows of one block of items (schema `inputs.SCHEMA`)."""
    items = items_of(block)
    return [metric.rows(items) for metric in metrics if isinstance(metric, Blockwise)]


def rows_here(metrics: Sequence[Metric], items: pa.Table) -> Iterable[Rows]:
    """The rows of all items, block by block, in this process."""
    return (rows_of(metrics, block) for block in blocks_of(items, BLOCK))


def scores_of(metrics: Sequence[Metric], items: pa.Table, blocks: Iterable[Rows]) -> list[Score]:
    """All scores of the items, whose blocks' rows are given in order. Other metrics than blockwise ones run here."""
    rows = iter([np.concatenate(parts) for parts in zip(*blocks)])
    every = None if all(isinstance(metric, Blockwise) for metric in metrics) else items_of(items)
    scores: list[Score] = []
    for metric in metrics:
        scores += metric.scores(next(rows)) if isinstance(metric, Blockwise) else metric(every or [])
    return scores


def make_system(name: str, path: str, paired: Paired, scores: Iterable[Score], references: References) -> System:
    """A scored system; each signature gets this program's version and the references that the score is against."""
    against = f"|conceptloom:{__version__}|references:{references.digest}"
    signed = [replace(score, signature=score.signature + against) for score in scores]
    return System(name, path, paired.items, signed, references.notes + paired.notes)


def system_names(paths: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    """A short name for each file: its own without ending, or the whole path where two have the same or it is `taken`.

    >>> system_names(["a/KoGPT2.txt", "b/x.txt", "c/x.txt"])
    ['KoGPT2', 'b/x.txt', 'c/x.txt']
    """
    short = [path.rstrip("/").rpartition("/")[2].partition(".")[0] or path for path in paths]
    return [name if [*short, *taken].count(name) == 1 else path for name, path in zip(short, paths)]
