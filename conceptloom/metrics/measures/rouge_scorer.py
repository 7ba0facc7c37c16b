"""The package rouge-score: its scorer with a tokenizer of ours or its own."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Protocol

from conceptloom.metrics.optional_imports import import_optional


class Fmeasure(Protocol):
    """rouge-score's result for one type of ROUGE; only its F1 is used."""

    fmeasure: float


class RougeScorer(Protocol):
    """What is used of rouge-score's `RougeScorer`. Results are by type (`rouge2`, `rougeL`)."""

    def score(self, target: str, prediction: str) -> Mapping[str, Fmeasure]:
        """The scores against one reference."""

    def score_multi(self, targets: Sequence[str], prediction: str) -> Mapping[str, Fmeasure]:
        """The scores against the best of several references."""


class Tokenizer(Protocol):
    """What rouge-score accepts as a tokenizer."""

    def tokenize(self, text: str) -> list[str]:
        """The words of a text."""


def rouge_scorer(types: Sequence[str], tokenizer: Tokenizer | None = None) -> RougeScorer:
    """A scorer for these types of ROUGE; without a tokenizer rouge-score's own words, stemmed by Porter's algorithm.

    Raises ConfigError where rouge-score is missing.
    """
    scorer: RougeScorer = import_optional("rouge_score.rouge_scorer").RougeScorer(
        list(types), use_stemmer=tokenizer is None, tokenizer=tokenizer
    )
    return scorer


def rouge_version() -> str:
    """The version of rouge-score, for signatures."""
    return version("rouge-score")
