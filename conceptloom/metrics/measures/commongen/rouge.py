"""ROUGE-2 and ROUGE-L with the stemming of ROUGE-1.5.5 (its option -m), with which CommonGen's table was made.

Words are lower-cased runs of ASCII letters and digits; those of more than three letters are replaced by their base form
in WordNet 2.0's exception lists, or stemmed by Porter's algorithm as he published it. The package rouge-score knows no
exceptions and gives scores that are 0.2 to 0.5 points lower.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.metrics.base import Item, Score, make_signature
from conceptloom.metrics.measures.commongen.sets import set_numbers
from conceptloom.metrics.measures.porter import PorterStemmer
from conceptloom.metrics.measures.rouge import ROUGE, words
from conceptloom.metrics.measures.sums import by_unit, ratio, total_score

_LISTS = ("adj", "adv", "noun", "verb")
_DATA = Path(__file__).parent / "data"
_KNOWN = 1 << 16


class StemmedWords:
    """The words of texts with their base forms. The lists that it returns are shared and must not be changed."""

    def __init__(self) -> None:
        self._stem = PorterStemmer().stem
        self._known = exceptions()
        self.tokenize = lru_cache(maxsize=_KNOWN)(self._tokenize)

    def _tokenize(self, text: str) -> list[str]:
        return words(text, self._base)

    def _base(self, word: str) -> str:
        if word not in self._known:
            self._known[word] = self._stem(word)
        return self._known[word]


def exceptions() -> dict[str, str]:
    """WordNet 2.0's irregular forms, each with its first base form; a later list's entry replaces an earlier one's."""
    lines = [line.split() for name in _LISTS for line in (_DATA / f"{name}.exc").read_text("ascii").splitlines()]
    return {form: base for form, base, *_ in filter(None, lines)}


def rouge(items: Sequence[Item]) -> list[Score]:
    """The mean F1 over all pairs of an output line and one reference; an item's value is the mean over its pairs."""
    numbers, weights = set_numbers(items), np.array([len(item.references) for item in items], dtype=np.float64)
    pairs = np.array([_sums(item) for item in items]).reshape(len(items), len(ROUGE)) * 100
    return [_score(name, pairs[:, at], weights, numbers) for at, name in enumerate(ROUGE)]


def _sums(item: Item) -> list[float]:
    tokenize = _words().tokenize
    predicted, references = tokenize(item.prediction), [tokenize(text) for text in item.references]
    return [sum(f1(predicted, reference) for reference in references) for f1 in ROUGE.values()]


def _score(name: str, sums: Float64, weights: Float64, numbers: Sequence[int]) -> Score:
    rows = np.stack([sums, weights], axis=1)
    signature = make_signature(name, f=1, refs="each", stem="porter-original+wordnet-2.0-exceptions")
    return total_score(name, by_unit(rows, numbers), ratio, ratio(rows), signature)


@cache
def _words() -> StemmedWords:
    return StemmedWords()
