"""Which scored system wrote the sentences of each rated model, and everything that is correlated with its ratings."""

from collections.abc import Mapping, Sequence

import numpy as np

from conceptloom.errors import ConfigError
from conceptloom.ratings.correlation import Columns, Correlation, correlations, pairs_of_metrics, sentence_scores
from conceptloom.ratings.reading import Ratings, by_model, total

POOLED = "all models"
"""The model of ratings that are pooled over models."""


def systems_of_models(models: Sequence[str], given: Sequence[str]) -> dict[str, str | None]:
    """The scored system of each rated model, from MODEL=SYSTEM each; for a single model the system's name is enough.

    None stands for the only system of the scores. Raises ConfigError for a model that has none, since its ratings would
    be compared with another model's sentences, and for a model that was not rated.
    """
    if len(models) == 1 and all("=" not in one for one in given):
        return {models[0]: given[-1] if given else None}
    found = dict(_pair(one, models) for one in given)
    unknown = [model for model in found if model not in models]
    missing = [model for model in models if model not in found]
    if unknown:
        raise ConfigError(f"--system {unknown[0]}=…: there are no ratings of it, but of {', '.join(models)}")
    if missing:
        raise ConfigError(f"no system is given for the ratings of {', '.join(missing)}: --system {missing[0]}=SYSTEM")
    return dict(found)


def _pair(given: str, models: Sequence[str]) -> tuple[str, str]:
    model, is_pair, system = given.partition("=")
    if is_pair and not (model and system):
        raise ConfigError(f"give --system MODEL=SYSTEM, not {given!r}")
    if not is_pair:
        raise ConfigError(
            f"there are ratings of {', '.join(models)}: say whose sentences {given} wrote by --system MODEL={given}"
        )
    return model, system


def human_scores(ratings: Sequence[Ratings]) -> list[Ratings]:
    """The ratings, and the total of each model that was rated by several criteria."""
    return [*ratings, *(one for some in by_model(ratings).values() if (one := total(some)) is not None)]


def all_correlations(
    scores: str, ratings: Sequence[Ratings], given: Sequence[str], method: str
) -> tuple[list[Correlation], list[Correlation]]:
    """Metrics with human scores, of each model and pooled over models, and metrics with each other (pooled).

    `scores` is a file of scores by sentence. Raises as `systems_of_models`, `sentence_scores` and `correlations` do.
    """
    humans = by_model(human_scores(ratings))
    columns = {model: sentence_scores(scores, system) for model, system in systems_of_models([*humans], given).items()}
    found = [one for model, some in humans.items() for one in correlations(columns[model], some, method)]
    together = _together([*columns.values()])
    if len(humans) > 1:
        found += [one for some in _pooled(humans) for one in _of_pooled(some, columns, method)]
    return found, pairs_of_metrics(together, method)


def _pooled(humans: Mapping[str, Sequence[Ratings]]) -> list[list[Ratings]]:
    """The ratings by each criterion that several models have."""
    criteria = dict.fromkeys(one.criterion for some in humans.values() for one in some)
    same = ([one for some in humans.values() for one in some if one.criterion == name] for name in criteria)
    return [found for found in same if len(found) > 1]


def _of_pooled(ratings: Sequence[Ratings], columns: Mapping[str, Columns], method: str) -> list[Correlation]:
    items = tuple(f"{one.model} {item}" for one in ratings for item in one.items)
    raters = max(one.table.shape[1] for one in ratings)
    filled = [np.pad(one.table, ((0, 0), (0, raters - one.table.shape[1])), constant_values=np.nan) for one in ratings]
    pooled = Ratings(POOLED, ratings[0].criterion, items, np.concatenate(filled))
    return correlations(_together([columns[one.model] for one in ratings]), [pooled], method)


def _together(columns: Sequence[Columns]) -> Columns:
    """The metrics that all have, the sentences of one system after those of another."""
    names = [name for name in columns[0] if all(name in one for one in columns)]
    return {name: np.concatenate([one[name] for one in columns]) for name in names}
