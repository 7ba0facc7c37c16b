"""Coverage of CommonGen's table: the share of a concept set among the noun and verb lemmas of the output."""

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np

from conceptloom.languages.english.lemmas import lemmas
from conceptloom.languages.english.words import words
from conceptloom.metrics.base import Item, Score, make_signature
from conceptloom.metrics.measures.commongen.sets import set_numbers
from conceptloom.metrics.measures.sums import by_unit, ratio, total_score


def covered(concepts: Sequence[str], prediction: str) -> list[bool]:
    """Whether a word of the prediction may be a form of each concept, in their order.

    The published code tagged the output with a spaCy model of its time; here lemmas of both parts of speech count.

    >>> covered(["dog", "run", "leave"], "Two dogs ran by fallen leaves.")
    [True, True, True]
    """
    found = {lemma for word in words(prediction) for lemma in lemmas(word).certain}
    return [concept in found for concept in concepts]


def coverage(items: Sequence[Item]) -> list[Score]:
    """The mean over lines: an item counts once for each of its references, as often as the published files hold it.

    An item without concepts has no value.
    """
    rows = np.array([_row(item) for item in items]).reshape(-1, 2)
    signature = make_signature("Coverage", lemmas="noun,verb", lemminflect=version("lemminflect"))
    return [total_score("Coverage", by_unit(rows, set_numbers(items)), ratio, ratio(rows), signature)]


def _row(item: Item) -> tuple[float, float]:
    lines = len(item.references) if item.concepts else 0
    share = sum(covered(item.concepts, item.prediction)) / max(len(item.concepts), 1)
    return 100 * share * lines, lines
