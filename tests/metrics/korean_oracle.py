"""The Korean preset as a plain program of nltk, tables and loops: a function for each score, of one prediction.

Written from the definitions of the published tables. Each function cuts its sentences itself, as such programs do.
"""

from collections.abc import Sequence
from functools import cache
from statistics import fmean
from typing import Any

from nltk.translate.bleu_score import modified_precision
from nltk.translate.meteor_score import single_meteor_score

BETA2 = 1.2**2
NAMES = ("BLEU-3", "BLEU-4", "ROUGE-2", "ROUGE-L", "METEOR", "Coverage")


class NoWordNet:
    """A WordNet without words."""

    def synsets(self, word: str) -> list[Any]:
        return []


@cache
def _mecab() -> Any:
    from mecab import MeCab

    return MeCab()


def morphs(text: str) -> list[str]:
    return _mecab().morphs(text)


def precision(prediction: str, references: Sequence[str], size: int) -> float:
    tokens = morphs(prediction)
    return max(float(modified_precision([morphs(reference)], tokens, size)) for reference in references)


def f_score(hits: int, predicted: int, wanted: int) -> float:
    if hits == 0:
        return 0.0
    p, r = hits / predicted, hits / wanted
    return (1 + BETA2) * p * r / (r + BETA2 * p)


def bigrams(tokens: list[str]) -> list[str]:
    found = []
    for place, token in enumerate(tokens):
        if token == tokens[-1]:
            break
        found.append(token + tokens[place + 1])
    return found


def rouge_2(prediction: str, references: Sequence[str]) -> float:
    scores = []
    for reference in references:
        predicted, wanted = bigrams(morphs(prediction)), bigrams(morphs(reference))
        hits = 0
        for bigram in wanted:
            if bigram in predicted:
                hits += 1
        scores.append(f_score(hits, len(predicted), len(wanted)))
    return max(scores)


def subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    lengths = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, left in enumerate(first):
        for j, right in enumerate(second):
            longer = max(lengths[i][j + 1], lengths[i + 1][j])
            lengths[i + 1][j + 1] = lengths[i][j] + 1 if left == right else longer
    return lengths[-1][-1]


def rouge_l(prediction: str, references: Sequence[str]) -> float:
    scores = []
    for reference in references:
        predicted, wanted = morphs(prediction), morphs(reference)
        scores.append(f_score(subsequence(predicted, wanted), len(predicted), len(wanted)))
    return max(scores)


def meteor(prediction: str, references: Sequence[str]) -> float:
    none = NoWordNet()
    return max(single_meteor_score(reference.split(), prediction.split(), wordnet=none) for reference in references)


def coverage(prediction: str, concept_set: str) -> float:
    wanted = set(morphs(concept_set)) - {"#"}
    return len(wanted & set(morphs(prediction))) / len(wanted) if wanted else 0.0


def of_item(prediction: str, references: Sequence[str], concept_set: str) -> dict[str, float]:
    """Every score of one prediction, 0 to 1."""
    return {
        "BLEU-3": precision(prediction, references, 3),
        "BLEU-4": precision(prediction, references, 4),
        "ROUGE-2": rouge_2(prediction, references),
        "ROUGE-L": rouge_l(prediction, references),
        "METEOR": meteor(prediction, references),
        "Coverage": coverage(prediction, concept_set),
    }


def table(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """The mean of each score, x100."""
    return {name: 100 * fmean(row[name] for row in rows) for name in NAMES}
