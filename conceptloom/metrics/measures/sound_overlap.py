"""Corpus BLEU, chrF++ and ROUGE of preset `sound`: sacrebleu and rouge-score, kept as statistics of each sentence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from conceptloom.metrics.base import Blockwise, Item, Score, make_signature
from conceptloom.metrics.measures.reference_columns import WIDTH, reference_parts, with_references
from conceptloom.metrics.measures.sound_language import Language
from conceptloom.metrics.measures.sums import Floats, average, total_score
from conceptloom.metrics.optional_imports import wanted

ROUGE = {"ROUGE-2": "rouge2", "ROUGE-L": "rougeL"}
_BLEU_WIDTH = 2 + 2 * 4
_CHRF_WIDTH = 3 * (6 + 2)


@dataclass(frozen=True)
class Bleu(Blockwise):
    """Corpus BLEU-4: closest reference, exponential smoothing, case kept. A sentence's value has an effective order."""

    language: Language

    def rows(self, items: Sequence[Item]) -> Floats:
        """References, then sacrebleu's statistics: hits and n-grams of each order, lengths."""
        cut = self.language.tokens([text for item in items for text in (item.prediction, *item.references)])
        return with_references(
            items, _BLEU_WIDTH, lambda: _statistics(_bleu(), items, lambda text: " ".join(cut[text]))
        )

    def scores(self, rows: Floats) -> list[Score]:
        """See `Blockwise`."""
        parts = {**reference_parts(rows), "case": "mixed", "smooth": "exp", **self.language.token_parts()}
        return [_sacrebleu("BLEU", rows, _bleu(), _bleu(effective_order=True), parts)]


@dataclass(frozen=True)
class ChrF(Blockwise):
    """chrF++: F2 over characters up to six and words up to two; of each sentence, the best reference."""

    language: Language

    def rows(self, items: Sequence[Item]) -> Floats:
        """References, then sacrebleu's statistics of each order: n-grams here, there, hits."""
        self.language.check(items)
        return with_references(items, _CHRF_WIDTH, lambda: _statistics(_chrf(), items, str))

    def scores(self, rows: Floats) -> list[Score]:
        """See `Blockwise`."""
        parts = {**reference_parts(rows), "case": "mixed", "nc": 6, "nw": 2, "space": "no"}
        return [_sacrebleu("chrF++", rows, _chrf(), _chrf(), parts)]


@dataclass(frozen=True)
class Rouge(Blockwise):
    """ROUGE-2 and ROUGE-L with clipped n-grams: F1 against the best reference, mean over sentences."""

    language: Language

    def rows(self, items: Sequence[Item]) -> Floats:
        """References, then the two scores."""
        return with_references(items, len(ROUGE), lambda: self._columns(items))

    def _columns(self, items: Sequence[Item]) -> list[list[float]]:
        scorer = self.language.rouge_scorer(list(ROUGE.values()))
        found = [scorer.score_multi(item.references, item.prediction) for item in items]
        return [[scores[kind].fmeasure for kind in ROUGE.values()] for scores in found]

    def scores(self, rows: Floats) -> list[Score]:
        """See `Blockwise`."""
        parts = {**reference_parts(rows), "f": 1, "best": "max", **self.language.rouge_parts()}
        parts["rouge-score"] = version("rouge-score")
        return [
            average(name, 100 * rows[:, WIDTH + at], make_signature(name, **parts)) for at, name in enumerate(ROUGE)
        ]


def _bleu(**options: Any) -> Any:
    return wanted("sacrebleu.metrics").BLEU(tokenize="none", force=True, **options)


def _chrf() -> Any:
    return wanted("sacrebleu.metrics").CHRF(word_order=2)


def _statistics(metric: Any, items: Sequence[Item], text: Callable[[str], str]) -> list[list[float]]:
    """What sacrebleu's own significance tests resample; it has no public name for it."""
    most = max(len(item.references) for item in items)
    padded = [(*map(text, item.references), *[None] * (most - len(item.references))) for item in items]
    streams = [list(stream) for stream in zip(*padded, strict=True)]
    return metric._extract_corpus_statistics([text(item.prediction) for item in items], streams)


def _sacrebleu(name: str, rows: Floats, corpus: Any, sentence: Any, parts: dict[str, object]) -> Score:
    signature = make_signature(name, **{**parts, "sacrebleu": wanted("sacrebleu").__version__})
    sums = rows[:, WIDTH:]
    return total_score(name, sums, partial(_of_sums, corpus), _of_sums(sentence, sums), signature)


def _of_sums(metric: Any, sums: Floats) -> Floats:
    return np.array([metric._compute_score_from_stats(row).score for row in sums.tolist()], dtype=np.float64)
