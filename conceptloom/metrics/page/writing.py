"""Writes the page of an evaluation: one for all systems and for people."""

from collections.abc import Sequence

from conceptloom import storage
from conceptloom.metrics.evaluation import Evaluation, System
from conceptloom.metrics.groups import Group
from conceptloom.metrics.inputs.item_tables import items_of
from conceptloom.metrics.page.document import evaluation_page
from conceptloom.metrics.page.systems import PageSystem
from conceptloom.metrics.resampling.significance import Comparison, Interval

PAGE = "evaluation.html"


def write_pages(
    found: Evaluation, compared: Sequence[Comparison], directory: str, groups: Sequence[Group] = ()
) -> list[str]:
    """Writes the page of all systems into the folder of the evaluation's other files; returns its path."""
    notes = dict.fromkeys(note for system in found.systems for note in system.notes)
    text = evaluation_page(
        [_page_system(one) for one in found.systems],
        compared,
        f"Evaluation: {found.preset}",
        groups=groups,
        warnings=[str(note) for note in notes if note.is_warning],
        files=True,
    )
    path = storage.join(directory, PAGE)
    storage.write_bytes(path, text.encode())
    return [path]


def _page_system(system: System) -> PageSystem:
    ends = {name: Interval(*both) for name, both in system.intervals.items()}
    return PageSystem(system.name, items_of(system.items), system.scores, ends)
