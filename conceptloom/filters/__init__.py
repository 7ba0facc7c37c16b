"""Sentence filters, by name, a module for each idea."""

from conceptloom.filters import characters, concepts, declarative, empty, length, tags
from conceptloom.filters.base import (
    FILTERS,
    KEEP,
    SUBJECTS,
    Filter,
    FilterEntry,
    Verdict,
    first_objection,
    joined,
    make_filter,
)
from conceptloom.filters.presets import PRESETS

__all__ = [
    "FILTERS",
    "KEEP",
    "PRESETS",
    "SUBJECTS",
    "Filter",
    "FilterEntry",
    "Verdict",
    "characters",
    "concepts",
    "declarative",
    "empty",
    "first_objection",
    "joined",
    "length",
    "make_filter",
    "tags",
]
