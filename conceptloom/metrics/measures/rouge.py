"""ROUGE as the package rouge-score defines it: F1 of clipped n-grams and of the longest common subsequence.

The package itself imports all of nltk, and with it SciPy and scikit-learn: that takes longer than to score a test set.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from conceptloom.metrics.measures.ngrams import clipped_hits, ngrams
from conceptloom.metrics.measures.porter import PorterStemmer
from conceptloom.metrics.measures.subsequences import common_subsequence

_WORD = re.compile(r"[a-z0-9]+")
_SHORT = 3
_stem = lru_cache(maxsize=1 << 16)(PorterStemmer(changed=True).stem)


def bigram_f1(predicted: Sequence[str], reference: Sequence[str]) -> float:
    """ROUGE-2 of two sentences as words, 0 to 1; a bigram counts at most as often as both have it.

    >>> bigram_f1(["a", "dog", "runs"], ["the", "dog", "runs"])
    0.5
    """
    first, second = ngrams(predicted, 2), ngrams(reference, 2)
    return _f1(clipped_hits(first, [second]), len(first), len(second))


def subsequence_f1(predicted: Sequence[str], reference: Sequence[str]) -> float:
    """ROUGE-L of two sentences as words, 0 to 1.

    >>> subsequence_f1(["a", "dog", "runs"], ["dog", "never", "runs"])
    0.6666666666666666
    """
    return _f1(common_subsequence(predicted, reference), len(predicted), len(reference))


ROUGE: dict[str, Callable[[Sequence[str], Sequence[str]], float]] = {
    "ROUGE-2": bigram_f1,
    "ROUGE-L": subsequence_f1,
}
"""The scores by the names that tables give them."""


def words(text: str, base: Callable[[str], str] = _stem) -> list[str]:
    """The words that ROUGE counts in English: runs of ASCII letters and digits in lower case, stems of the longer ones.

    `base` gives the base form of a word of more than three characters; by default it is nltk's stemmer, as in
    rouge-score.

    >>> words("The dogs' tails: wagging")
    ['the', 'dog', 'tail', 'wag']
    """
    return [base(word) if len(word) > _SHORT else word for word in _WORD.findall(text.lower())]


def _f1(hits: int, predicted: int, reference: int) -> float:
    if not hits:
        return 0.0
    precision, recall = hits / predicted, hits / reference
    return 2 * precision * recall / (precision + recall)
