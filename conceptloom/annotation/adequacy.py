"""Are there enough references? The similarity of a set's references as their number grows (CommonGen, section 3.4).

With k references a set has k(k-1)/2 pairs. Once a further reference changes neither the median nor the standard
deviation of their similarities, more references add little that is new.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

import numpy as np

from conceptloom.annotation.encoders import pair_cosines
from conceptloom.arrays.types import Float64, Int64
from conceptloom.errors import ConfigError, InputError
from conceptloom.examples import Example
from conceptloom.hashing import text_id
from conceptloom.json_values import JsonObject
from conceptloom.similarity import Scorer

DRAWS = 20


@dataclass(frozen=True)
class Agreement:
    """How similar `references` references of a set are, on average over the sets that have as many."""

    references: int
    sets: int
    median: float
    """The mean over the sets of the median of the pairs' cosines."""
    deviation: float
    """The mean over the sets of the (population) standard deviation of the pairs' cosines."""

    def to_json(self) -> JsonObject:
        """The agreement as JSON values, rounded to four digits."""
        return {name: round(value, 4) for name, value in asdict(self).items()}


def grouped_references(examples: Iterable[Example]) -> list[list[str]]:
    """The references of each distinct set, sorted; sets by hash. A sentence that two people wrote occurs twice."""
    sentences: dict[str, list[str]] = {}
    for example in examples:
        sentences.setdefault("#".join(sorted(set(example.concepts))), []).extend(example.sentences)
    return [sorted(sentences[concepts]) for concepts in sorted(sentences, key=text_id)]


def agreement_by_references(
    groups: Sequence[Sequence[str]],
    scorer: Scorer,
    *,
    least: int = 2,
    most: int = 8,
    draws: int = DRAWS,
    seed: int = 42,
) -> list[Agreement]:
    """The agreement of 2, 3, … `most` references, each over the sets (`groups`) with as many, and at least `least`.

    The order of a set's references is drawn at random `draws` times. With `least` = `most`, all numbers are about the
    same sets. Raises ConfigError where `most` < 2, InputError where no set has two references (or `least`).
    """
    if most < 2:
        raise ConfigError(f"a pair needs two references: the most is 2 or more, not {most}")
    chosen = [group for group in groups if len(group) >= max(2, least)]
    if not chosen:
        raise InputError(f"no set has {max(2, least)} references; give files with more, or ask for fewer")
    random = np.random.default_rng(seed)
    drawn = [_drawn(matrices, min(most, matrices.shape[1]), draws, random) for matrices in _matrices(chosen, scorer)]
    return [_mean(number, drawn) for number in range(2, 1 + min(most, max(map(len, chosen))))]


def _matrices(groups: Sequence[Sequence[str]], scorer: Scorer) -> list[Float64]:
    """For each number of references, the cosines of the groups that have it: (groups, references, references)."""
    sizes = np.array([len(group) for group in groups])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    pairs = {size: np.array(list(combinations(range(size), 2))) for size in np.unique(sizes).tolist()}
    rows = {size: starts[sizes == size][:, None, None] + places for size, places in pairs.items()}
    flat = np.concatenate([found.reshape(-1, 2) for found in rows.values()])
    texts = [sentence for group in groups for sentence in group]
    cosines = np.split(
        pair_cosines(scorer, texts, flat[:, 0], flat[:, 1]),
        np.cumsum([found.size // 2 for found in rows.values()])[:-1],
    )
    return [_square(values, size, pairs[size]) for size, values in zip(rows, cosines, strict=True)]


def _square(values: Float64, size: int, pairs: Int64) -> Float64:
    matrices = np.zeros((len(values) // len(pairs), size, size))
    for left, right in (pairs.T, pairs.T[::-1]):
        matrices[:, left, right] = values.reshape(-1, len(pairs))
    return matrices


def _drawn(matrices: Float64, most: int, draws: int, random: np.random.Generator) -> dict[int, Float64]:
    """Median and deviation of each group and draw, shape (2, groups, draws), by number of references from 2."""
    groups, size, _ = matrices.shape
    order = random.permuted(np.tile(np.arange(size), (groups, draws, 1)), axis=2)
    found = {}
    for number in range(2, most + 1):
        left, right = np.array(list(combinations(range(number), 2))).T
        cosines = matrices[np.arange(groups)[:, None, None], order[:, :, left], order[:, :, right]]
        found[number] = np.stack((np.median(cosines, axis=2), cosines.std(axis=2)))
    return found


def _mean(number: int, drawn: Sequence[dict[int, Float64]]) -> Agreement:
    values = np.concatenate([found[number] for found in drawn if number in found], axis=1)
    median, deviation = values.mean(axis=(1, 2)).tolist()
    return Agreement(number, values.shape[1], median, deviation)
