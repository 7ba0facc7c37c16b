"""How well raters agree: Fleiss' kappa and Krippendorff's alpha of a table of ratings, and means over models."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.errors import ConfigError
from conceptloom.metrics.optional_imports import import_optional
from conceptloom.ratings.reading import Ratings

LEVELS = ("nominal", "ordinal", "interval", "ratio")
"""The levels of measurement for Krippendorff's alpha; `nominal` is comparable with Fleiss' kappa."""


class Agreement(NamedTuple):
    """One table of ratings: the number of items and of ratings, their mean, and two coefficients (nan: undefined)."""

    model: str
    criterion: str
    items: int
    ratings: int
    mean: float
    kappa: float
    alpha: float


def agreement(ratings: Ratings, level: str = "ordinal") -> Agreement:
    """Mean and agreement of one table; raises ConfigError for a level that is not in LEVELS."""
    table = ratings.table
    return Agreement(
        model=ratings.model,
        criterion=ratings.criterion,
        items=len(table),
        ratings=int(np.count_nonzero(~np.isnan(table))),
        mean=ratings.mean,
        kappa=fleiss_kappa(table),
        alpha=krippendorff_alpha(table, level),
    )


def average_kappas(rows: Sequence[Agreement]) -> dict[str, tuple[float, int]]:
    """For each criterion the mean of its models' kappas, as Korean CommonGen reports it, and the number of models."""
    kappas: dict[str, list[float]] = {}
    for row in rows:
        kappas.setdefault(row.criterion, []).append(row.kappa)
    return {criterion: (math.fsum(found) / len(found), len(found)) for criterion, found in kappas.items()}


def fleiss_kappa(table: Float64) -> float:
    """Fleiss' kappa of ratings (items, raters), each value a category, over the items that every rater rated.

    nan without such an item, with fewer than two raters, or where all ratings are equal.
    """
    whole = table[~np.isnan(table).any(axis=1)]
    if len(whole) == 0 or whole.shape[1] < 2:
        return math.nan
    counts = np.array([(whole == category).sum(axis=1) for category in np.unique(whole)], dtype=np.float64)
    raters = whole.shape[1]
    observed = float(((counts**2).sum(axis=0) - raters).mean() / (raters * (raters - 1)))
    by_chance = float(((counts.sum(axis=1) / whole.size) ** 2).sum())
    return (observed - by_chance) / (1 - by_chance) if by_chance < 1 else math.nan


def krippendorff_alpha(table: Float64, level: str = "ordinal") -> float:
    """Krippendorff's alpha of ratings (items, raters), by the package of that name; nan where it is undefined."""
    if level not in LEVELS:
        raise ConfigError(f"no level of measurement is called {level!r}; there are: {', '.join(LEVELS)}")
    paired = (~np.isnan(table)).sum(axis=1) > 1
    if len(np.unique(table[paired][~np.isnan(table[paired])])) < 2:
        return math.nan
    return float(import_optional("krippendorff").alpha(reliability_data=table.T, level_of_measurement=level))
