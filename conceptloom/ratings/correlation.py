"""How well metrics agree with people: the correlation of every metric with every human score over sentences."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from conceptloom.arrays.columns import one_array
from conceptloom.arrays.types import Float64
from conceptloom.errors import ConfigError, InputError
from conceptloom.metrics.optional_imports import import_optional
from conceptloom.ratings.reading import Ratings
from conceptloom.tables import read_table

METHODS = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}
"""The coefficients and scipy's functions for them. Kendall's is tau-b."""

SIGNIFICANT = 0.05
"""The p-value below which a correlation is marked."""

_SYSTEM = "system"
Columns = Mapping[str, Float64]


class Correlation(NamedTuple):
    """One metric with one human score over the `items` sentences that have both; nan where either is constant."""

    metric: str
    human: str
    value: float
    p: float
    items: int


def correlations(metrics: Columns, ratings: Sequence[Ratings], method: str = "pearson") -> list[Correlation]:
    """Every metric with the mean ratings of the sentences, for one human score after the other.

    The columns of metrics have a value for each rated item, in the same order. Raises ConfigError for an unknown
    method, InputError where the number of values is not the number of rated items.
    """
    if method not in METHODS:
        raise ConfigError(f"no correlation is called {method!r}; there are: {', '.join(METHODS)}")
    for one in ratings:
        for name, values in metrics.items():
            if len(values) != len(one.items):
                raise InputError(
                    f"{name} has {len(values)} sentences, the ratings {one.name} {len(one.items)}; "
                    "give the scores of the sentences that were rated"
                )
    return [_correlation(name, values, one, method) for one in ratings for name, values in metrics.items()]


def sentence_scores(path: str, system: str | None = None) -> dict[str, Float64]:
    """The metrics of a Parquet file of scores by sentence: its floating-point columns.

    Raises InputError for a file without such columns, and for one with several systems unless `system` is one of them.
    """
    table = read_table(path)
    if _SYSTEM in table.schema.names:
        names = one_array(table[_SYSTEM])
        there = names.unique().to_pylist()
        if (len(there) > 1 and system is None) or (system is not None and system not in there):
            raise InputError(f"{path} holds the systems {', '.join(map(str, there))}; name one of them by --system")
        table = table.filter(np.array(names.to_pylist(), dtype=object) == (system or there[0])) if there else table
    kinds = [field.name for field in table.schema if str(field.type) in ("double", "float")]
    if not kinds or not len(table):
        raise InputError(f"{path} has no scores; give the file of scores by sentence that an evaluation writes")
    return {name: np.asarray(one_array(table[name]).to_numpy(zero_copy_only=False), np.float64) for name in kinds}


def pairs_of_metrics(metrics: Columns, method: str = "pearson") -> list[Correlation]:
    """Every metric with every other (Korean CommonGen, figure 3): one after the other, each pair in both directions."""
    return [
        _coefficient(name, other, values, others, method)
        for other, others in metrics.items()
        for name, values in metrics.items()
    ]


def _correlation(name: str, values: Float64, ratings: Ratings, method: str) -> Correlation:
    return _coefficient(name, ratings.name, values, ratings.of_items, method)


def _coefficient(name: str, other: str, values: Float64, others: Float64, method: str) -> Correlation:
    both = ~np.isnan(values) & ~np.isnan(others)
    x, y = values[both], others[both]
    if len(x) < 3 or np.all(x == x[0]) or np.all(y == y[0]):
        return Correlation(name, other, math.nan, math.nan, len(x))
    found = getattr(import_optional("scipy.stats"), METHODS[method])(x, y)
    return Correlation(name, other, float(found.statistic), float(found.pvalue), len(x))
