"""Filters at work: all those of one subject, opened, in the order in which they are asked."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from conceptloom.arrays.types import Bool
from conceptloom.filters.base import (
    AnyFilter,
    BlockFilter,
    Filter,
    OpenFilter,
    Part,
    PartColumn,
    QuickFilter,
    Subject,
    Verdict,
    first_objection,
)

Look = Callable[[PartColumn], Bool]
Objections = dict[int, Verdict]
"""The first objection to each sentence that is left out, by its position; not in order."""


@dataclass(frozen=True)
class OpenFilters:
    """The filters of one subject: first the predicates, then the block filters, each kind in the order configured.

    The first objection is a sentence's reason; later filters are not asked about it. So a block filter, which
    costs more, judges what all predicates of its subject keep, wherever it stands among them.
    """

    predicates: tuple[Filter, ...]
    looks: tuple[Look | None, ...]
    """How each predicate looks over a block, if it does."""
    blocks: tuple[OpenFilter, ...]

    def objections(self, column: PartColumn) -> Objections:
        """Returns the objections to these sentences."""
        found = dict(self._predicates_object(column))
        for block in self.blocks:
            left = [position for position in range(len(column)) if position not in found]
            judged = block.verdicts([part_at(column, position) for position in left])
            found |= {position: one for position, one in zip(left, judged, strict=True) if not one.keep}
        return found

    def _predicates_object(self, column: PartColumn) -> Iterator[tuple[int, Verdict]]:
        doubts = self._doubts(column)
        for position in np.flatnonzero(doubts.any(axis=0)).tolist():
            asked = [one for one, doubtful in zip(self.predicates, doubts[:, position], strict=True) if doubtful]
            verdict = first_objection(asked, part_at(column, position))
            if not verdict.keep:
                yield position, verdict

    def _doubts(self, column: PartColumn) -> Bool:
        """Returns which predicate has to be asked about which sentence, shape (predicates, sentences)."""
        # Several predicates may share one look.
        doubts = {look: ~look(column) if look else np.ones(len(column), np.bool_) for look in self.looks}
        return np.array([doubts[look] for look in self.looks], np.bool_).reshape(len(self.looks), len(column))


def part_at(column: PartColumn, position: int) -> Part:
    """Returns what a filter looks at of one sentence."""
    part = column[position]
    return part.as_py() if isinstance(part, pa.Scalar) else part


def open_filters(filters: Iterable[AnyFilter], subject: Subject) -> OpenFilters:
    """Returns the filters that look at one part of a sentence, the block filters among them opened."""
    mine = [one for one in filters if one.subject == subject]
    predicates = tuple(one for one in mine if not isinstance(one, BlockFilter))
    looks = tuple(one.passes if isinstance(one, QuickFilter) else None for one in predicates)
    return OpenFilters(predicates, looks, tuple(one.open() for one in mine if isinstance(one, BlockFilter)))


def verdict_of(one: AnyFilter, subject: Part) -> Verdict:
    """Returns the verdict of one filter on one sentence."""
    if isinstance(one, BlockFilter):
        return one.open().verdicts([subject])[0]
    return one.check(subject)
