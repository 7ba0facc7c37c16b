"""How sure an evaluation is, and its pages: intervals of every system, the differences of two."""

import math
from dataclasses import dataclass, replace

from conceptloom import storage
from conceptloom.metrics.evaluation import Evaluation, System
from conceptloom.metrics.inputs.items import items_of
from conceptloom.metrics.page.data import PageSystem, have_same_items
from conceptloom.metrics.page.page import page
from conceptloom.metrics.resampling.bootstrap import CONFIDENCE, Comparison, Interval, compare, intervals

PAGE = "evaluation.html"
PEOPLE_PAGE = "evaluation-people.html"


@dataclass(frozen=True)
class Resampling:
    """How intervals and p-values are made: `resamples` 0 leaves them out."""

    resamples: int
    seed: int

    def to_json(self) -> dict[str, float]:
        """The settings, as JSON values."""
        return {"resamples": self.resamples, "seed": self.seed, "confidence": CONFIDENCE}


def with_intervals(found: Evaluation, how: Resampling) -> Evaluation:
    """The evaluation with the interval of each score that can be resampled."""
    return replace(found, systems=[replace(one, intervals=_intervals(one, how)) for one in found.systems])


def comparisons(found: Evaluation, how: Resampling) -> list[Comparison]:
    """The first of two systems minus the second; none of one system, or of more than two.

    People are not compared: they are held against one reference fewer.

    Raises InputError where the two were not scored on the same number of units.
    """
    systems = [system for system in found.systems if not system.is_people]
    if len(systems) != 2 or not how.resamples:
        return []
    first, second = systems
    return compare(first.scores, second.scores, how.seed, how.resamples)


def write_pages(found: Evaluation, compared: list[Comparison], directory: str) -> list[str]:
    """Writes the page of one system, or of two with the same items; else a page each. Answers the paths.

    People, who have other references, have a page of their own.
    """
    systems, people = (
        [_page_system(one) for one in found.systems if one.is_people == wanted] for wanted in (False, True)
    )
    title = f"Evaluation: {found.preset}"
    one_page = 0 < len(systems) < 3 and have_same_items(systems)
    pages = {PAGE: page(systems, compared, title)} if one_page else {}
    for number, system in enumerate(systems if not pages else [], 1):
        pages[PAGE.replace(".", f"-{number}.")] = page([system], (), title)
    if people:
        pages[PEOPLE_PAGE] = page(people, (), title)
    for name, text in pages.items():
        storage.write_bytes(storage.join(directory, name), text.encode())
    return [storage.join(directory, name) for name in pages]


def comparison_json(one: Comparison) -> dict[str, object]:
    """A comparison as JSON values, null where something is not known."""
    values = {**one._asdict(), "interval": list(one.interval)}
    return {name: _known(value) for name, value in values.items()}


def _intervals(system: System, how: Resampling) -> dict[str, tuple[float, float]]:
    if not how.resamples:
        return {}
    found = intervals(system.scores, how.seed, how.resamples)
    return {name: tuple(ends) for name, ends in found.items() if ends is not None and not math.isnan(ends.low)}


def _page_system(system: System) -> PageSystem:
    ends = {name: Interval(*both) for name, both in system.intervals.items()}
    return PageSystem(system.name, items_of(system.items), system.scores, ends)


def _known(value: object) -> object:
    if isinstance(value, list):
        return [_known(part) for part in value]
    return None if isinstance(value, float) and math.isnan(value) else value
