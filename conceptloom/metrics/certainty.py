"""How certain an evaluation is: intervals of every system's scores, and the comparison of two systems."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from conceptloom.metrics.base import Score
from conceptloom.metrics.evaluation import Evaluation
from conceptloom.metrics.resampling.significance import CONFIDENCE, Comparison, compare, intervals


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


def comparisons(found: Evaluation, how: Resampling) -> list[Comparison]:
    """The first of two systems minus the second; an empty list for any other number of systems.

    People are not compared, because they have one reference fewer. Raises InputError where the two systems were not
    scored on the same number of units.
    """
    systems = [system for system in found.systems if not system.is_people]
    if len(systems) != 2 or not how.resamples:
        return []
    first, second = systems
    return compare(first.scores, second.scores, how.seed, how.resamples)


def _intervals(scores: Sequence[Score], how: Resampling) -> dict[str, tuple[float, float]]:
    if not how.resamples:
        return {}
    found = intervals(scores, how.seed, how.resamples)
    return {
        name: (ends.low, ends.high) for name, ends in found.items() if ends is not None and not math.isnan(ends.low)
    }
