"""BLEU of ComVE's subtask C (SemEval-2020 task 4), as the task's own program computes it.

It is not what sacrebleu reports: tokens are separated by white space, with their case and punctuation; the reference
length is that of the *shortest* reference; nothing is smoothed, so a corpus without a common 4-gram scores 0.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.metrics.base import Item, Score, make_signature
from conceptloom.metrics.measures.ngrams import ngrams
from conceptloom.metrics.measures.sums import total_score

_ORDER = 4


def comve_bleu(items: Sequence[Item]) -> Score:
    """The BLEU of the corpus; a prediction's own value is the same formula applied to it alone."""
    sums = np.array([_statistics(item) for item in items], dtype=np.float64).reshape(-1, 2 + 2 * _ORDER)
    signature = make_signature("BLEU", tok="white-space", reflen="shortest", smooth="none", order=_ORDER)
    return total_score("BLEU C", sums, bleu_of_sums, bleu_of_sums(sums), signature)


def bleu_of_sums(sums: Float64) -> Float64:
    """BLEU x100 of each row of summed statistics.

    Columns: length, reference length, hits of 1- to 4-grams, number of 1- to 4-grams.
    """
    length, reference, hits, grams = sums[:, 0], sums[:, 1], sums[:, 2 : 2 + _ORDER], sums[:, 2 + _ORDER :]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.exp(np.mean(np.log(np.where(grams > 0, hits / grams, 0.0)), axis=1))
        penalty = np.where(length > reference, 1.0, np.exp(1 - reference / length))
    return np.where(length > 0, 100 * mean * penalty, 0.0)


def _statistics(item: Item) -> list[int]:
    tokens, references = item.prediction.split(), [text.split() for text in item.references]
    orders = range(1, _ORDER + 1)
    counts = [Counter(ngrams(tokens, size)) for size in orders]
    hits = [(count & _most(references, size)).total() for size, count in zip(orders, counts, strict=True)]
    return [len(tokens), min(map(len, references)), *hits, *(count.total() for count in counts)]


def _most(references: Sequence[list[str]], size: int) -> Counter[tuple[str, ...]]:
    """How often each n-gram occurs in the reference that has it most often."""
    most: Counter[tuple[str, ...]] = Counter()
    for reference in references:
        most |= Counter(ngrams(reference, size))
    return most
