"""The columns of Korean CommonGen's published tables that need no model, computed as its published code does.

Names are kept although they deviate from what is usual: "BLEU-3" and "BLEU-4" are n-gram precisions without a brevity
penalty, ROUGE-2 is unclipped over bigrams written as one string, METEOR has no WordNet; see each function.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.errors import ConfigError, InputError
from conceptloom.metrics.base import Blockwise, Item, Score, make_signature, mean_score
from conceptloom.metrics.measures import mecab_ko
from conceptloom.metrics.measures.korean_commongen import meteor
from conceptloom.metrics.measures.korean_commongen.overlap import BETA, bigram_f, joined_bigrams, subsequence_f
from conceptloom.metrics.measures.ngrams import clipped_hits, ngrams
from conceptloom.metrics.measures.sums import total_score

_HITS = {3: 0, 4: 2}
"""The column with the hits of n-grams, by n; the next column has their number."""

_METEOR = make_signature(
    "METEOR",
    alpha=meteor.ALPHA,
    beta=meteor.BETA,
    gamma=meteor.GAMMA,
    wordnet="no",
    tok="whitespace",
    case="lower",
    reduce="max",
)


@dataclass(frozen=True)
class PublishedTable(Blockwise):
    """BLEU-3, BLEU-4, ROUGE-2, ROUGE-L, METEOR and Coverage, each x100.

    `single` computes them as for the reformulated test, which has one reference for each set: "BLEU" is then the n-gram
    precision of the corpus (all hits over all n-grams), otherwise the mean over sentences.
    """

    single: bool = False

    def rows(self, items: Sequence[Item]) -> Float64:
        """Hits and number of 3-grams, then of 4-grams, ROUGE-2, ROUGE-L, METEOR, Coverage: shape (items, 8).

        Raises ConfigError where python-mecab-ko is missing, and with `single` where an item has several references;
        InputError where an item has none.
        """
        _check(items, self.single)
        cut = mecab_ko.morphemes(text for item in items for text in _texts(item))
        rows = [value for item in items for value in _row(item, *(cut[text] for text in _texts(item)))]
        return np.array(rows, dtype=np.float64).reshape(len(items), 8)

    def scores(self, rows: Float64) -> list[Score]:
        """See `Blockwise`."""
        return [
            *(self._precision(size, rows[:, at], rows[:, at + 1]) for size, at in _HITS.items()),
            _mean("ROUGE-2", rows[:, 4], f=BETA, ngrams="joined,unclipped"),
            _mean("ROUGE-L", rows[:, 5], f=BETA),
            mean_score("METEOR", 100 * rows[:, 6], _METEOR),
            _mean("Coverage", rows[:, 7], concepts="tokenized"),
        ]

    def _precision(self, size: int, hits: Float64, total: Float64) -> Score:
        name = f"BLEU-{size}"
        if self.single:
            signature = _signature(name, is_="ngram-precision", of="corpus")
            return total_score(name, np.stack([hits, total], axis=1), _share, None, signature)
        return _mean(name, hits / np.maximum(total, 1), is_="ngram-precision", of="sentence")


def _share(sums: Float64) -> Float64:
    return 100 * sums[:, 0] / np.maximum(sums[:, 1], 1)


def _texts(item: Item) -> Iterator[str]:
    yield item.prediction
    yield "#".join(item.concepts)
    yield from item.references


def _row(item: Item, predicted: list[str], concepts: list[str], *references: list[str]) -> Iterator[float]:
    """A row of PublishedTable, given the morphemes of the item's texts.

    The concept set is cut as it is written, with its #; the # itself does not count as a concept.
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
    return max(meteor.meteor(words, reference.lower().split()) for reference in item.references)


def _mean(name: str, values: Float64, **parts: object) -> Score:
    return mean_score(name, 100 * values, _signature(name, **parts))


def _signature(name: str, **parts: object) -> str:
    named = {key.rstrip("_"): value for key, value in parts.items()}
    return make_signature(name, **named, reduce="max", **mecab_ko.signature())


def _check(items: Sequence[Item], single: bool) -> None:
    for item in items:
        if not item.references:
            raise InputError(f"{item.key} has no reference; add one")
        if single and len(item.references) > 1:
            raise ConfigError(
                f"this preset takes one reference a set, and {item.key} has {len(item.references)}: "
                "use preset korean-commongen"
            )
