"""Systems that belong together, such as one model trained with several seeds: mean and standard deviation of scores."""

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from conceptloom.errors import ConfigError
from conceptloom.metrics.evaluation import Evaluation, System
from conceptloom.metrics.naming import named_systems


class GroupScore(NamedTuple):
    """Mean and sample standard deviation (n - 1) of one score over a group's systems; nan where they are unknown."""

    name: str
    mean: float
    deviation: float


class Group(NamedTuple):
    """A named group of systems with the scores that all of them have (Korean CommonGen, table 6)."""

    name: str
    systems: tuple[str, ...]
    scores: tuple[GroupScore, ...]


def make_groups(given: Sequence[str], found: Evaluation) -> list[Group]:
    """The groups of NAME=SYSTEM,SYSTEM,…, where a system may be a pattern, such as seeds=mt5-*.

    Raises ConfigError for another form, for a name or pattern that no system has, and for a group of a single system.
    """
    return [_group(one, [system for system in found.systems if not system.is_people]) for one in given]


def _group(given: str, systems: Sequence[System]) -> Group:
    name, is_given, members = given.partition("=")
    if not name or not is_given or not members.strip(" ,"):
        raise ConfigError(f"--group takes NAME=SYSTEM,SYSTEM,…, not {given!r}")
    wanted = named_systems(members, [system.name for system in systems], f"--group {name}")
    chosen = [system for system in systems if system.name in wanted]
    if len(chosen) < 2:
        raise ConfigError(f"--group {name} has one system, {chosen[0].name}; a mean needs two or more")
    return Group(name, tuple(system.name for system in chosen), _scores(chosen))


def _scores(systems: Sequence[System]) -> tuple[GroupScore, ...]:
    values = [{score.name: score.value for score in system.scores} for system in systems]
    shared = [name for name in values[0] if all(name in one for one in values)]
    return tuple(_score(name, [one[name] for one in values]) for name in shared)


def _score(name: str, values: Sequence[float]) -> GroupScore:
    if not all(map(math.isfinite, values)):
        return GroupScore(name, math.nan, math.nan)
    return GroupScore(name, fmean(values), stdev(values))
