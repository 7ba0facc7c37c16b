"""How far metrics follow people: the correlation of every metric with every human score, sentence by sentence."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptloom.errors import ConfigError, InputError
from conceptloom.metrics.optional_imports import import_optional
from conceptloom.ratings.reading import Ratings
from conceptloom.tables import one_array, read_table

METHODS = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}
"""The coefficients, by scipy's names of their functions. Kendall's is tau-b."""

SIGNIFICANT = 0.05
"""The p-value below which a correlation is marked."""

_SYSTEM = "system"
Columns = Mapping[str, NDArray[np.float64]]


class Correlation(NamedTuple):
    """One metric with one human score over `items` sentences that have both; nan where one of the two never varies."""

    metric: str
    human: str
    value: float
    p: float
    items: int


def correlations(metrics: Columns, ratings: Sequence[Ratings], method: str = "pearson") -> list[Correlation]:
    """Every metric with the mean rating of each sentence, human score by human score.

    Columns have a value for each rated item, in their order. Raises ConfigError for an unknown method, InputError for
    a metric with another number of values than there are rated items.
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


def sentence_scores(path: str, system: str | None = None) -> dict[str, NDArray[np.float64]]:
    """The metrics of a Parquet file of scores sentence by sentence: its columns of floating-point numbers.

    Raises InputError for a file without any, and for one of several systems where `system` is not one of them.
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


def _correlation(name: str, values: NDArray[np.float64], ratings: Ratings, method: str) -> Correlation:
    human = ratings.of_items
    both = ~np.isnan(values) & ~np.isnan(human)
    x, y = values[both], human[both]
    if len(x) < 3 or np.all(x == x[0]) or np.all(y == y[0]):
        return Correlation(name, ratings.name, math.nan, math.nan, len(x))
    found = getattr(import_optional("scipy.stats"), METHODS[method])(x, y)
    return Correlation(name, ratings.name, float(found.statistic), float(found.pvalue), len(x))
