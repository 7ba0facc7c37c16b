"""Filters at work: all those of one subject, opened, in the order in which they are asked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conceptloom.filters.base import (
    KEEP,
    AnyFilter,
    BlockFilter,
    Filter,
    OpenFilter,
    Part,
    Subject,
    Verdict,
    first_objection,
    joined,
)


@dataclass(frozen=True)
class OpenFilters:
    """The filters of one subject: first the predicates, then the block filters, each kind in the order configured.

    The first objection is a sentence's reason; later filters are not asked about it. So a block filter, which
    costs more, judges what all predicates of its subject keep, wherever it stands among them.
    """

    predicates: tuple[Filter, ...]
    blocks: tuple[OpenFilter, ...]

    def verdicts(self, subjects: Sequence[Part]) -> list[Verdict]:
        """Returns the verdict on each sentence: KEEP itself, or the first objection."""
        found = [first_objection(self.predicates, subject) for subject in subjects]
        for block in self.blocks:
            left = [position for position, verdict in enumerate(found) if verdict is KEEP]
            judged = block.verdicts([subjects[position] for position in left])
            for position, verdict in zip(left, judged, strict=True):
                found[position] = KEEP if verdict.keep else verdict
        return found


def open_filters(filters: Iterable[AnyFilter], subject: Subject) -> OpenFilters:
    """Returns the filters that look at one part of a sentence, the block filters among them opened."""
    mine = [one for one in filters if one.subject == subject]
    predicates = [one for one in mine if not isinstance(one, BlockFilter)]
    return OpenFilters(joined(predicates), tuple(one.open() for one in mine if isinstance(one, BlockFilter)))


def verdict_of(one: AnyFilter, subject: Part) -> Verdict:
    """Returns the verdict of one filter on one sentence."""
    if isinstance(one, BlockFilter):
        return one.open().verdicts([subject])[0]
    return one.check(subject)
