"""BLEU-3, BLEU-4, CIDEr, METEOR and SPICE of CommonGen's table: pycocoevalcap on spaCy's tokens, one line a set.

Tokens are those of `spacy.blank("en")`, case kept; pycocoevalcap's own PTB tokenizer is not used.
"""

import math
import shutil
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Protocol

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.metrics.base import Item, Score, make_signature
from conceptloom.metrics.measures.commongen.sets import by_set, set_numbers
from conceptloom.metrics.measures.sums import OfSums, average, total_score
from conceptloom.metrics.optional_imports import import_optional

ORDERS = (3, 4)
_CIDER_SCALE = 10
_TINY, _SMALL = 1e-15, 1e-9
_SPICE_JARS = ("stanford-corenlp-3.6.0.jar", "stanford-corenlp-3.6.0-models.jar")

Texts = dict[int, list[str]]
"""Tokenized texts by the number of the concept set."""


class _Token(Protocol):
    text: str


def captions(items: Sequence[Item]) -> list[Score]:
    """The five metrics. A metric whose programs are not installed is nan, and its signature says what is missing."""
    numbers = set_numbers(items)
    sets = by_set(items, numbers)
    references = {at: [tokenized(text) for text in one.references] for at, one in enumerate(sets)}
    predictions = {at: [tokenized(one.prediction)] for at, one in enumerate(sets)}
    if not sets:
        return [Score(name, math.nan, None, _signature(name)) for name in ("BLEU-3", "BLEU-4", "CIDEr")]
    return [
        *_bleu(references, predictions, numbers),
        _cider(references, predictions, numbers),
        _meteor(references, predictions, numbers),
        _spice(references, predictions, numbers),
    ]


def tokenized(text: str) -> str:
    """spaCy's tokens with a space between them, on one line because METEOR's program reads lines.

    >>> tokenized("A man's dog isn't here.")
    "A man 's dog is n't here ."
    """
    return " ".join(" ".join(token.text for token in _tokenizer()(text)).splitlines())


def bleu_of_sums(order: int) -> OfSums:
    """pycocoevalcap's corpus BLEU with n-grams up to `order`, as a function of rows of summed statistics.

    Columns: length of the predictions, of the closest references, hits of 1- to 4-grams, number of 1- to 4-grams.
    """

    def of_sums(sums: Float64) -> Float64:
        hits, grams = sums[:, 2 : 2 + order], sums[:, 6 : 6 + order]
        precision = np.prod((hits + _TINY) / (grams + _SMALL), axis=1) ** (1 / order)
        ratio = (sums[:, 0] + _TINY) / (sums[:, 1] + _SMALL)
        return 100 * precision * np.where(ratio < 1, np.exp(1 - 1 / ratio), 1.0)

    return of_sums


def _bleu(references: Texts, predictions: Texts, numbers: list[int]) -> list[Score]:
    module = import_optional("pycocoevalcap.bleu.bleu_scorer")
    rows = []
    for at, texts in references.items():
        counted = module.BleuScorer(predictions[at][0], texts, n=4).ctest[0]
        length = counted["testlen"]
        closest = min((abs(size - length), size) for size in counted["reflen"])[1]
        rows.append([length, closest, *counted["correct"], *counted["guess"]])
    sums = np.array(rows, dtype=np.float64)
    values = {order: bleu_of_sums(order)(sums)[numbers] for order in ORDERS}
    return [
        total_score(f"BLEU-{n}", sums, bleu_of_sums(n), values[n], _signature(f"BLEU-{n}", reflen="closest"))
        for n in ORDERS
    ]


def _cider(references: Texts, predictions: Texts, numbers: list[int]) -> Score:
    _, values = import_optional("pycocoevalcap.cider.cider").Cider().compute_score(references, predictions)
    return _set_mean("CIDEr", np.asarray(values) * _CIDER_SCALE, numbers, _signature("CIDEr", scale=_CIDER_SCALE))


def _meteor(references: Texts, predictions: Texts, numbers: list[int]) -> Score:
    if shutil.which("java") is None:
        return _missing("METEOR", "java")
    value, values = import_optional("pycocoevalcap.meteor.meteor").Meteor().compute_score(references, predictions)
    return Score("METEOR", value * 100, np.array(values)[numbers] * 100, _signature("METEOR", jar="1.5"))


def _spice(references: Texts, predictions: Texts, numbers: list[int]) -> Score:
    """SPICE, only if its jars are installed: pycocoevalcap would otherwise download 400 MB without asking."""
    missing = spice_missing()
    if missing:
        return _missing("SPICE", missing)
    _, found = import_optional("pycocoevalcap.spice.spice").Spice().compute_score(references, predictions)
    values = np.array([scores["All"]["f"] for scores in found]) * 100
    return _set_mean("SPICE", values, numbers, _signature("SPICE", corenlp="3.6.0"))


def spice_missing() -> str:
    """What SPICE lacks on this machine, separated by commas; empty if it can run."""
    library = _folder(import_optional("pycocoevalcap.spice")) / "lib"
    lacking = [f"{library}/{name}" for name in _SPICE_JARS if not (library / name).exists()]
    return ",".join(lacking + ([] if shutil.which("java") else ["java"]))


def _folder(package: ModuleType) -> Path:
    return Path(str(package.__file__)).parent


def _set_mean(name: str, values: Float64, numbers: list[int], signature: str) -> Score:
    mean = average(name, values, signature)
    return total_score(name, mean.sums, mean.of_sums, values[numbers], signature)


def _missing(name: str, what: str) -> Score:
    return Score(name, math.nan, None, make_signature(name, missing=what))


def _signature(name: str, **parts: object) -> str:
    return make_signature(
        name, **parts, tok=f"spacy.blank(en)-{version('spacy')}", pycocoevalcap=version("pycocoevalcap")
    )


@cache
def _tokenizer() -> Callable[[str], Iterable[_Token]]:
    tokenizer: Callable[[str], Iterable[_Token]] = import_optional("spacy").blank("en").tokenizer
    return tokenizer
