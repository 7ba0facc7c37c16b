"""People as a system: each sentence of a set is held against the set's other sentences (leave-one-out).

The published "human" rows compare sentences with references that hold them (CommonGen's code: the three shortest
references of a set, all pairs, each with itself), so that a part of the score is there by construction.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.errors import InputError
from conceptloom.metrics.base import Score
from conceptloom.metrics.inputs.input_notes import NoteBook
from conceptloom.metrics.inputs.items import SCHEMA, Paired
from conceptloom.metrics.inputs.references import References
from conceptloom.metrics.measures.sums import Floats, OfSums, SummedScore

NAME = "people"
ROUNDS = 10
"""At most so many sentences of a set are held against the others; those behind them are references only."""

BETWEEN = " / "


def people_items(references: References) -> tuple[Iterator[pa.Table], Paired]:
    """The items (schema `inputs.SCHEMA`) of each round, and what there is to show of all rounds together.

    In round r each set's sentence number r, from the first again where a set has fewer, is the prediction, the others
    are its references. Sets of one sentence or none are left out and noted. Raises InputError where no set has two.
    Memory: each round is made when it is asked for.
    """
    several = pc.greater(pc.list_value_length(references.sets["references"]), 1)
    sets = references.sets.filter(several).combine_chunks()
    if not len(sets):
        raise InputError(
            f"{references.path}: no set has two references, so people cannot be held against each other; leave out "
            "--people"
        )
    book = NoteBook(references.path)
    if alone := len(references.sets) - len(sets):
        book.add("single_references", times=alone)
    texts: list[list[str]] = sets["references"].to_pylist()
    rounds = min(ROUNDS, max(map(len, texts)))
    together = _items(sets, [BETWEEN.join(each) for each in texts], [[] for _ in texts])
    return (_round(sets, texts, number) for number in range(rounds)), Paired(together, book.notes())


def _round(sets: pa.Table, texts: list[list[str]], number: int) -> pa.Table:
    places = [number % len(each) for each in texts]
    said = [each[at] for each, at in zip(texts, places, strict=True)]
    return _items(sets, said, [each[:at] + each[at + 1 :] for each, at in zip(texts, places, strict=True)])


def _items(sets: pa.Table, predictions: list[str], references: list[list[str]]) -> pa.Table:
    held = pa.array(references, SCHEMA.field("references").type)
    return pa.table([sets["key"], sets["concepts"], held, sets["source"], pa.array(predictions)], schema=SCHEMA)


def mean_of_rounds(rounds: Iterable[Sequence[Score]]) -> list[Score]:
    """The mean of each score over rounds, which have the same units in the same order; it is resampled by these."""
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


def _of_rounds(of_sums: OfSums, rounds: int, sums: Floats) -> Floats:
    return np.asarray(np.mean([of_sums(part) for part in np.split(sums, rounds, axis=1)], axis=0))


def _known_mean(values: Floats) -> Floats:
    """The mean of each column's values that are not nan; nan where none is. Shape (rounds, items) -> (items,)."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0)
