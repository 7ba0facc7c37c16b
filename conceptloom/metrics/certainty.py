"""How certain an evaluation is: intervals of every system's scores, and the comparison of two systems."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from conceptloom.errors import ConfigError
from conceptloom.metrics.base import Score
from conceptloom.metrics.evaluation import Evaluation, System
from conceptloom.metrics.resampling.significance import CONFIDENCE, Comparison, compare, holm, intervals

BEST = "best"
"""The baseline that is chosen by score."""


@dataclass(frozen=True)
class Resampling:
    """How intervals and p-values are computed; `resamples` = 0: not at all."""

    resamples: int
    seed: int

    def to_json(self) -> dict[str, float]:
        """The settings as JSON values."""
        return {"resamples": self.resamples, "seed": self.seed, "confidence": CONFIDENCE}


def with_intervals(found: Evaluation, how: Resampling) -> Evaluation:
    """The evaluation with an interval for each score that can be resampled."""
    return replace(found, systems=[replace(one, intervals=_intervals(one.scores, how)) for one in found.systems])


def comparisons(found: Evaluation, how: Resampling, baseline: str | None = None) -> list[Comparison]:
    """Each system minus the baseline by every metric; of two systems without a baseline, the first minus the second.

    The baseline is a system's name, or `best`, which is also what three or more systems are compared with by default:
    the one with the highest leading score (see `leading`). p-values are also corrected for the number of systems.
    People are not compared, because they have one reference fewer, nor are systems with other references than the
    baseline's. An empty list for fewer than two systems. Raises ConfigError for an unknown name, InputError where two
    systems were not scored on the same number of units.
    """
    systems = [system for system in found.systems if not system.is_people]
    if len(systems) < 2 or not how.resamples:
        return []
    against = systems[1] if baseline is None and len(systems) == 2 else chosen_baseline(systems, baseline or BEST)
    same = (one for one in systems if one.against.digest == against.against.digest)
    others = [system for system in same if system is not against]
    return _corrected([one for system in others for one in _against(system, against, how)])


def chosen_baseline(systems: Sequence[System], name: str) -> System:
    """The system of that name, or the best one; raises ConfigError for an unknown name."""
    named = next((system for system in systems if system.name == name), None)
    if named is not None:
        return named
    if name != BEST:
        raise ConfigError(f"no system is called {name!r}; there are: {', '.join(one.name for one in systems)}, {BEST}")
    metric = leading(systems)
    values = {system.name: value_of(system, metric) for system in systems}
    return max(systems, key=lambda system: -math.inf if math.isnan(values[system.name]) else values[system.name])


def leading(systems: Sequence[System]) -> str:
    """The metric by which systems are ranked: ROUGE-L, or else the first one, where higher is better."""
    names = [score.name for score in systems[0].scores]
    return "ROUGE-L" if "ROUGE-L" in names else names[0]


def value_of(system: System, metric: str) -> float:
    """A system's score; nan where it has none."""
    return next((score.value for score in system.scores if score.name == metric), math.nan)


def _against(system: System, baseline: System, how: Resampling) -> list[Comparison]:
    compared = compare(system.scores, baseline.scores, how.seed, how.resamples)
    return [one._replace(first=system.name, second=baseline.name) for one in compared]


def _corrected(compared: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons with p-values corrected among those by the same metric."""
    found = list(compared)
    for name in dict.fromkeys(one.name for one in compared):
        places = [at for at, one in enumerate(compared) if one.name == name]
        bootstrap = holm([compared[at].bootstrap_p for at in places])
        permutation = holm([compared[at].permutation_p for at in places])
        for at, *both in zip(places, bootstrap, permutation, strict=True):
            found[at] = found[at]._replace(bootstrap_holm=both[0], permutation_holm=both[1])
    return found


def _intervals(scores: Sequence[Score], how: Resampling) -> dict[str, tuple[float, float]]:
    if not how.resamples:
        return {}
    found = intervals(scores, how.seed, how.resamples)
    return {
        name: (ends.low, ends.high) for name, ends in found.items() if ends is not None and not math.isnan(ends.low)
    }
