"""Sentence filters, by name, a module for each idea."""

from conceptloom.filters import characters, concepts, declarative, empty, length, tags
from conceptloom.filters.base import (
    FILTERS,
    KEEP,
    SUBJECTS,
    AnyFilter,
    BlockFilter,
    Filter,
    FilterEntry,
    OpenFilter,
    Part,
    Signed,
    Subject,
    Verdict,
    first_objection,
    joined,
    make_filter,
)
from conceptloom.filters.opened import OpenFilters, open_filters, verdict_of
from conceptloom.filters.presets import PRESETS, preset_options

__all__ = [
    "FILTERS",
    "KEEP",
    "PRESETS",
    "SUBJECTS",
    "AnyFilter",
    "BlockFilter",
    "Filter",
    "FilterEntry",
    "OpenFilter",
    "OpenFilters",
    "Part",
    "Signed",
    "Subject",
    "Verdict",
    "characters",
    "concepts",
    "declarative",
    "empty",
    "first_objection",
    "joined",
    "length",
    "make_filter",
    "open_filters",
    "preset_options",
    "tags",
    "verdict_of",
]
