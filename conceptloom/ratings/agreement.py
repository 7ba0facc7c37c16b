"""How far raters agree: Fleiss' kappa and Krippendorff's alpha of one table of ratings, and means over models."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptloom.errors import ConfigError
from conceptloom.metrics.optional_imports import import_optional
from conceptloom.ratings.reading import Ratings

LEVELS = ("nominal", "ordinal", "interval", "ratio")
"""What Krippendorff's alpha may take ratings for: `nominal` compares with Fleiss' kappa."""


class Agreement(NamedTuple):
    """One table of ratings: how many items and ratings, their mean, and how far its raters agree (nan: unknown)."""

    model: str
    criterion: str
    items: int
    ratings: int
    mean: float
    kappa: float
    alpha: float


def agreement(ratings: Ratings, level: str = "ordinal") -> Agreement:
    """Mean and agreement of one table; raises ConfigError for a level that is none of LEVELS."""
    table = ratings.table
    return Agreement(
        ratings.model,
        ratings.criterion,
        len(table),
        int(np.count_nonzero(~np.isnan(table))),
        ratings.mean,
        fleiss_kappa(table),
        krippendorff_alpha(table, level),
    )


def average_kappas(rows: Sequence[Agreement]) -> dict[str, tuple[float, int]]:
    """Of each criterion the mean of its models' kappas, as Korean CommonGen reports it, and of how many models."""
    kappas: dict[str, list[float]] = {}
    for row in rows:
        kappas.setdefault(row.criterion, []).append(row.kappa)
    return {criterion: (math.fsum(found) / len(found), len(found)) for criterion, found in kappas.items()}


def fleiss_kappa(table: NDArray[np.float64]) -> float:
    """Fleiss' kappa of ratings (items, raters), each value a category; of the items that every rater rated.

    nan without such an item, with fewer than two raters, or where all ratings are one category.
    """
    whole = table[~np.isnan(table).any(axis=1)]
    if len(whole) == 0 or whole.shape[1] < 2:
        return math.nan
    counts = np.array([(whole == category).sum(axis=1) for category in np.unique(whole)], dtype=np.float64)
    raters = whole.shape[1]
    observed = float(((counts**2).sum(axis=0) - raters).mean() / (raters * (raters - 1)))
    by_chance = float(((counts.sum(axis=1) / whole.size) ** 2).sum())
    return (observed - by_chance) / (1 - by_chance) if by_chance < 1 else math.nan


def krippendorff_alpha(table: NDArray[np.float64], level: str = "ordinal") -> float:
    """Krippendorff's alpha of ratings (items, raters), by the library of that name; nan where it is not defined."""
    if level not in LEVELS:
        raise ConfigError(f"no level of measurement is called {level!r}; there are: {', '.join(LEVELS)}")
    paired = (~np.isnan(table)).sum(axis=1) > 1
    if len(np.unique(table[paired][~np.isnan(table[paired])])) < 2:
        return math.nan
    return float(import_optional("krippendorff").alpha(reliability_data=table.T, level_of_measurement=level))
