"""Writes the pages of an evaluation: one for a system or two, otherwise one for each system, and one for people."""

from conceptloom import storage
from conceptloom.metrics.evaluation import Evaluation, System
from conceptloom.metrics.inputs.item_tables import items_of
from conceptloom.metrics.page.document import evaluation_page
from conceptloom.metrics.page.systems import PageSystem, have_same_items
from conceptloom.metrics.resampling.significance import Comparison, Interval

PAGE = "evaluation.html"
PEOPLE_PAGE = "evaluation-people.html"


def write_pages(found: Evaluation, compared: list[Comparison], directory: str) -> list[str]:
    """Writes one page for a single system or for two with the same items, otherwise a page each; returns the paths.

    People have a page of their own, because they have other references.
    """
    systems, people = (
        [_page_system(one) for one in found.systems if one.is_people == is_people] for is_people in (False, True)
    )
    title = f"Evaluation: {found.preset}"
    one_page = 0 < len(systems) < 3 and have_same_items(systems)
    pages = {PAGE: evaluation_page(systems, compared, title)} if one_page else {}
    for number, system in enumerate(systems if not pages else [], 1):
        pages[PAGE.replace(".", f"-{number}.")] = evaluation_page([system], (), title)
    if people:
        pages[PEOPLE_PAGE] = evaluation_page(people, (), title)
    for name, text in pages.items():
        storage.write_bytes(storage.join(directory, name), text.encode())
    return [storage.join(directory, name) for name in pages]


def _page_system(system: System) -> PageSystem:
    ends = {name: Interval(*both) for name, both in system.intervals.items()}
    return PageSystem(system.name, items_of(system.items), system.scores, ends)
