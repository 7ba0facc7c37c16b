"""Corpus BLEU and chrF++ (sacrebleu) and ROUGE, kept as statistics of each sentence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeAlias

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.metrics.base import Blockwise, Item, Score, make_signature
from conceptloom.metrics.measures.rouge import ROUGE
from conceptloom.metrics.measures.sound.language import Language
from conceptloom.metrics.measures.sound.rows import WIDTH, reference_parts, with_references
from conceptloom.metrics.measures.sums import average, total_score
from conceptloom.metrics.optional_imports import import_optional

_BLEU_WIDTH = 2 + 2 * 4
_CHRF_WIDTH = 3 * (6 + 2)

Statistics: TypeAlias = list[list[float]]
"""What sacrebleu's own significance tests resample: a row for each sentence."""


class _Result(Protocol):
    score: float


class SacreBleuMetric(Protocol):
    """What is used of sacrebleu's metrics. It has no public names for the statistics of sentences."""

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]]
    ) -> Statistics: ...

    def _compute_score_from_stats(self, stats: list[float]) -> _Result: ...


@dataclass(frozen=True)
class Bleu(Blockwise):
    """Corpus BLEU-4: closest reference, exponential smoothing, case kept. A sentence's value has effective order."""

    language: Language

    def rows(self, items: Sequence[Item]) -> Float64:
        """The number of references, then sacrebleu's statistics: lengths, hits and n-grams of each order."""
        cut = self.language.tokens([text for item in items for text in (item.prediction, *item.references)])
        return with_references(
            items, _BLEU_WIDTH, lambda: _statistics(_bleu(), items, lambda text: " ".join(cut[text]))
        )

    def scores(self, rows: Float64) -> list[Score]:
        """See `Blockwise`."""
        parts = {**reference_parts(rows), "case": "mixed", "smooth": "exp", **self.language.token_parts()}
        return [_sacrebleu("BLEU", rows, _bleu(), _bleu(effective_order=True), parts)]


@dataclass(frozen=True)
class ChrF(Blockwise):
    """chrF++: F2 over n-grams of up to six characters and up to two words, against each sentence's best reference."""

    language: Language

    def rows(self, items: Sequence[Item]) -> Float64:
        """The number of references, then for each order: n-grams of the prediction, of the reference, hits."""
        self.language.check(items)
        return with_references(items, _CHRF_WIDTH, lambda: _statistics(_chrf(), items, str))

    def scores(self, rows: Float64) -> list[Score]:
        """See `Blockwise`."""
        parts = {**reference_parts(rows), "case": "mixed", "nc": 6, "nw": 2, "space": "no"}
        return [_sacrebleu("chrF++", rows, _chrf(), _chrf(), parts)]


@dataclass(frozen=True)
class Rouge(Blockwise):
    """ROUGE-2 and ROUGE-L with clipped n-grams: F1 against the best reference, mean over sentences."""

    language: Language

    def rows(self, items: Sequence[Item]) -> Float64:
        """The number of references, then the two scores."""
        return with_references(items, len(ROUGE), lambda: self._columns(items))

    def _columns(self, items: Sequence[Item]) -> list[list[float]]:
        words = self.language.rouge_words([text for item in items for text in (item.prediction, *item.references)])
        return [
            [max(f1(words[item.prediction], words[text]) for text in item.references) for f1 in ROUGE.values()]
            for item in items
        ]

    def scores(self, rows: Float64) -> list[Score]:
        """See `Blockwise`."""
        parts = {**reference_parts(rows), "f": 1, "best": "max", **self.language.rouge_parts()}
        return [
            average(name, 100 * rows[:, WIDTH + at], make_signature(name, **parts)) for at, name in enumerate(ROUGE)
        ]


def _bleu(effective_order: bool = False) -> SacreBleuMetric:
    bleu: SacreBleuMetric = import_optional("sacrebleu.metrics").BLEU(
        tokenize="none", force=True, effective_order=effective_order
    )
    return bleu


def _chrf() -> SacreBleuMetric:
    chrf: SacreBleuMetric = import_optional("sacrebleu.metrics").CHRF(word_order=2)
    return chrf


def _statistics(metric: SacreBleuMetric, items: Sequence[Item], text: Callable[[str], str]) -> Statistics:
    most = max(len(item.references) for item in items)
    padded = [(*map(text, item.references), *[None] * (most - len(item.references))) for item in items]
    streams = [list(stream) for stream in zip(*padded, strict=True)]
    return metric._extract_corpus_statistics([text(item.prediction) for item in items], streams)


def _sacrebleu(
    name: str, rows: Float64, corpus: SacreBleuMetric, sentence: SacreBleuMetric, parts: dict[str, object]
) -> Score:
    signature = make_signature(name, **{**parts, "sacrebleu": import_optional("sacrebleu").__version__})
    sums = rows[:, WIDTH:]
    return total_score(name, sums, partial(_of_sums, corpus), _of_sums(sentence, sums), signature)


def _of_sums(metric: SacreBleuMetric, sums: Float64) -> Float64:
    return np.array([metric._compute_score_from_stats(row).score for row in sums.tolist()], dtype=np.float64)
