"""Cosines of tf-idf vectors by their definition, with dictionaries, and figures of scikit-learn for a small corpus."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

ROWS = [["a", "dog", "run"], ["a", "dog", "sleep"], ["a", "cat", "sleep", "here"], ["dog"]]
SCIKIT_LEARN = np.array(
    [
        [1, 0.50466766, 0.17376622, 0.47380448],
        [0.50466766, 1, 0.49331813, 0.53256952],
        [0.17376622, 0.49331813, 1, 0],
        [0.47380448, 0.53256952, 0, 1],
    ]
)
"""By scikit-learn 1.9.1: v @ v.T of `v = TfidfVectorizer(analyzer=list, binary=True).fit_transform(ROWS)`."""


def cosines(rows: Sequence[Sequence[str]], corpus: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """The cosines of rows of words, shape (rows, rows); a word counts once a row, and only if the corpus has it.

    idf(t) = ln((1 + n) / (1 + df(t))) + 1, as the user guide of scikit-learn defines it ("Tf–idf term weighting").
    """
    frequencies = Counter(word for row in corpus for word in set(row))
    idf = {word: math.log((1 + len(corpus)) / (1 + count)) + 1 for word, count in frequencies.items()}
    vectors = [{word: idf[word] for word in set(row) if word in idf} for row in rows]
    return np.array([[_cosine(first, second) for second in vectors] for first in vectors])


def _cosine(first: dict[str, float], second: dict[str, float]) -> float:
    dot = math.fsum(weight * second[word] for word, weight in first.items() if word in second)
    norms = [math.sqrt(math.fsum(weight**2 for weight in one.values())) for one in (first, second)]
    return dot / (norms[0] * norms[1]) if all(norms) else 0.0
