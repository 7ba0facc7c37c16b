"""People as a system: each sentence of a set is compared with the set's other sentences (leave-one-out).

The published "human" rows compare sentences with references that include them (CommonGen's code: the three shortest
references of a set, all pairs, each with itself too), so that part of the score is there by construction.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.lists import string_lists
from conceptloom.arrays.types import Float64
from conceptloom.errors import InputError
from conceptloom.metrics.base import Score
from conceptloom.metrics.inputs.input_notes import InputNotes
from conceptloom.metrics.inputs.item_tables import SCHEMA, with_predictions
from conceptloom.metrics.inputs.pairing import Paired
from conceptloom.metrics.inputs.references import References
from conceptloom.metrics.measures.sums import OfSums, SummedScore

NAME = "people"
ROUNDS = 10
"""At most this many sentences of a set are compared with the others; further ones are only references."""

BETWEEN = " / "
"""Separates the sentences of a set where all of them are shown as one prediction."""


def people_items(references: References) -> tuple[Iterator[pa.Table], Paired]:
    """The items (schema `item_tables.SCHEMA`) of each round, and one table that shows all rounds together.

    In round r, the prediction for a set is its sentence number r (modulo the number of its sentences), and the other
    sentences are the references. Sets with fewer than two sentences are left out and noted. Raises InputError where no
    set has two. Memory: one round at a time.
    """
    several = pc.greater(pc.list_value_length(references.sets["references"]), 1)
    sets = references.sets.filter(several).combine_chunks()
    if not len(sets):
        raise InputError(
            f"{references.path}: no set has two references, so people cannot be compared with each other; omit --people"
        )
    notes = InputNotes(references.path)
    if alone := len(references.sets) - len(sets):
        notes.add("single_references", times=alone)
    texts: list[list[str]] = sets["references"].to_pylist()
    rounds = min(ROUNDS, max(map(len, texts)))
    together = _items(sets, [BETWEEN.join(each) for each in texts], [[] for _ in texts])
    return (_round(sets, texts, number) for number in range(rounds)), Paired(together, notes.collected())


def _round(sets: pa.Table, texts: list[list[str]], number: int) -> pa.Table:
    places = [number % len(each) for each in texts]
    predictions = [each[at] for each, at in zip(texts, places, strict=True)]
    return _items(sets, predictions, [each[:at] + each[at + 1 :] for each, at in zip(texts, places, strict=True)])


def _items(sets: pa.Table, predictions: list[str], references: list[list[str]]) -> pa.Table:
    others = sets.set_column(2, SCHEMA.field("references"), string_lists(references))
    return with_predictions(others, predictions)


def mean_of_rounds(rounds: Iterable[Sequence[Score]]) -> list[Score]:
    """The mean of each score over rounds. All rounds have the same units in the same order, which are resampled."""
    return [_mean(scores) for scores in zip(*rounds, strict=True)]


def _mean(scores: Sequence[Score]) -> Score:
    first = scores[0]
    columns = [score.values for score in scores if score.values is not None]
    mean = replace(
        first,
        value=float(np.mean([score.value for score in scores])),
        values=_known_mean(np.stack(columns)) if columns else None,
        signature=f"{first.signature}|people:leave-one-out|rounds:{len(scores)}",
    )
    if not isinstance(mean, SummedScore):
        return mean
    sums = [score.sums for score in scores if isinstance(score, SummedScore)]
    return replace(mean, sums=np.hstack(sums), of_sums=partial(_of_rounds, mean.of_sums, len(sums)))


def _of_rounds(of_sums: OfSums, rounds: int, sums: Float64) -> Float64:
    return np.asarray(np.mean([of_sums(part) for part in np.split(sums, rounds, axis=1)], axis=0))


def _known_mean(values: Float64) -> Float64:
    """The mean of each column without its nan, nan where there is nothing else: (rounds, items) -> (items,)."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0)
