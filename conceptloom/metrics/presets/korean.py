"""The presets of Korean CommonGen's tables: what its published code computes, each deviation from a metric's name kept.

"BLEU-3" and "BLEU-4" there are n-gram precisions without a brevity penalty, ROUGE-2 is unclipped over bigrams written
as one string, METEOR has no WordNet; see each function.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from conceptloom.errors import ConfigError, InputError
from conceptloom.metrics.base import (
    PRESETS,
    Blockwise,
    Item,
    Metric,
    Options,
    Preset,
    Score,
    make_signature,
    mean_score,
)
from conceptloom.metrics.measures import mecab_ko
from conceptloom.metrics.measures.bertscore import DEVICE, BertScore
from conceptloom.metrics.measures.meteor import ALPHA, GAMMA, meteor
from conceptloom.metrics.measures.meteor import BETA as METEOR_BETA
from conceptloom.metrics.measures.overlap import BETA, bigram_f, clipped_hits, joined_bigrams, ngrams, subsequence_f
from conceptloom.metrics.measures.sums import total_score
from conceptloom.models import DEFAULT_DEVICE

_MODELS = {"mbert": "mBERTScore", "kobert": "KoBERTScore"}
_HITS = {3: 0, 4: 2}
"""Where the hits of n-grams stand in a row; how many n-grams there are stands behind."""

_METEOR = make_signature(
    "METEOR",
    alpha=ALPHA,
    beta=METEOR_BETA,
    gamma=GAMMA,
    wordnet="no",
    tok="whitespace",
    case="lower",
    reduce="max",
)


@dataclass(frozen=True)
class PublishedTable(Blockwise):
    """The columns of the published table that want no model.

    `single` is the reformulated test's way, which has one reference for each set: "BLEU" is then the n-gram precision
    of the corpus (all hits over all n-grams), else the mean of the sentences'.
    """

    single: bool = False

    def rows(self, items: Sequence[Item]) -> NDArray[np.float64]:
        """Hits and number of 3-grams, of 4-grams, ROUGE-2, ROUGE-L, METEOR, Coverage.

        Raises ConfigError where python-mecab-ko (or nltk, if a word must be stemmed) is missing, and by `single` where
        an item has several references; InputError where one has none.
        """
        _check(items, self.single)
        cut = mecab_ko.morphemes(text for item in items for text in _texts(item))
        rows = [value for item in items for value in _row(item, *(cut[text] for text in _texts(item)))]
        return np.array(rows, dtype=np.float64).reshape(len(items), 8)

    def scores(self, rows: NDArray[np.float64]) -> list[Score]:
        """See `Blockwise`."""
        return [
            *(self._precision(size, rows[:, at], rows[:, at + 1]) for size, at in _HITS.items()),
            _mean("ROUGE-2", rows[:, 4], f=BETA, ngrams="joined,unclipped"),
            _mean("ROUGE-L", rows[:, 5], f=BETA),
            mean_score("METEOR", 100 * rows[:, 6], _METEOR),
            _mean("Coverage", rows[:, 7], concepts="tokenized"),
        ]

    def _precision(self, size: int, hits: NDArray[np.float64], total: NDArray[np.float64]) -> Score:
        name = f"BLEU-{size}"
        if self.single:
            signature = _signature(name, is_="ngram-precision", of="corpus")
            return total_score(name, np.stack([hits, total], axis=1), _share, None, signature)
        return _mean(name, hits / np.maximum(total, 1), is_="ngram-precision", of="sentence")


def _share(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return 100 * sums[:, 0] / np.maximum(sums[:, 1], 1)


def _texts(item: Item) -> Iterator[str]:
    yield item.prediction
    yield "#".join(item.concepts)
    yield from item.references


def _row(item: Item, predicted: list[str], concepts: list[str], *references: list[str]) -> Iterator[float]:
    """A row of PublishedTable, from the morphemes of an item's texts.

    The concept set is cut as it is written, with its #, and # is left out then.
    """
    for size in _HITS:
        grams = ngrams(predicted, size)
        yield clipped_hits(grams, [ngrams(tokens, size) for tokens in references])
        yield len(grams)
    yield bigram_f(joined_bigrams(predicted), map(joined_bigrams, references))
    yield subsequence_f(predicted, references)
    yield _best_meteor(item)
    wanted = set(concepts) - {"#"}
    yield len(wanted.intersection(predicted)) / max(len(wanted), 1)


def _best_meteor(item: Item) -> float:
    words = item.prediction.lower().split()
    return max(meteor(words, reference.lower().split()) for reference in item.references)


def _mean(name: str, values: NDArray[np.float64], **parts: object) -> Score:
    return mean_score(name, 100 * values, _signature(name, **parts))


def _signature(name: str, **parts: object) -> str:
    named = {key.rstrip("_"): value for key, value in parts.items()}
    return make_signature(name, **named, reduce="max", **mecab_ko.signature())


def _check(items: Sequence[Item], single: bool) -> None:
    for item in items:
        if not item.references:
            raise InputError(f"{item.key} has no reference; give it one")
        if single and len(item.references) > 1:
            raise ConfigError(
                f"this preset is for one reference a set, and {item.key} has {len(item.references)}: "
                "use preset korean-commongen"
            )


def _make(options: Options, *, single: bool) -> list[Metric]:
    models = [
        BertScore(name, options[option], layers=2, weights="published", device=options.get("device", DEFAULT_DEVICE))
        for option, name in _MODELS.items()
        if option in options
    ]
    if "device" in options and not models:
        raise ConfigError("the option device is of a model: give the option mbert or kobert too")
    return [PublishedTable(single), *models]


_OPTIONS = {
    "mbert": "the directory of a BERT model for mBERTScore, bert-base-multilingual-cased in the paper",
    "kobert": "the directory of a BERT model for KoBERTScore, monologg/kobert in the paper",
    "device": DEVICE,
}
_MULTI = Preset("Korean CommonGen's table: three references a set", partial(_make, single=False), _OPTIONS, by_set=True)
_SINGLE = Preset("Korean CommonGen's reformulated test: one reference a set", partial(_make, single=True), _OPTIONS)
PRESETS.add("korean-commongen", _MULTI)
PRESETS.add("korean-commongen-single", _SINGLE)
