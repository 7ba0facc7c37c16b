"""Concepts too general to be in a set: they stand in many captions, and in no published set of CommonGen."""

from functools import cache
from importlib.resources import files

FILE = "stop-concepts.txt"
"""One concept a line, sorted; scripts/english_readings.py derives it from the published sets."""


@cache
def stop_concepts() -> frozenset[str]:
    """Returns the list of the package: general nouns and verbs, letters, and what is left of HTML.

    >>> {"man", "show", "amp"} <= stop_concepts(), "dog" in stop_concepts()
    (True, False)
    """
    return frozenset((files(__package__) / "data" / FILE).read_text(encoding="utf-8").split())
