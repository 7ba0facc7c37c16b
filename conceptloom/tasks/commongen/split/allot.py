"""Which captions dev and test get as references: no caption serves both, and as few sets as possible stay without any.

Two sets of dev and test often stand in the same captions. So the sets take turns, one caption in each, those with the
fewest captions first; a caption that a set of test has taken is none for dev from then on, and the other way round.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from conceptloom.arrays.runs import run_starts
from conceptloom.tables import to_ipc
from conceptloom.tasks.commongen.split.references import REFERENCES, first_held

SPARE = 4
"""How many times the captions that a set may get are found for it: others may take some."""


@dataclass(frozen=True)
class Allot:
    """Gives each set of dev and test at most `most` of the captions that were found for it."""

    most: int

    def __call__(self, blocks: list[bytes]) -> bytes:
        """Returns rows of schema REFERENCES, by (set, id), as bytes; `blocks` have schema HELD."""
        return to_ipc(allotted(first_held(blocks, self.most * SPARE), self.most))


def allotted(found: pa.Table, most: int) -> pa.Table:
    """Returns the captions that each set gets, at most `most`: rows of `found` (HELD, by (set, id)) as REFERENCES."""
    sets, splits, ids = (found[name].to_pylist() for name in ("set", "split", "id"))
    starts = run_starts(found["set"].to_numpy()).tolist()
    runs = sorted(zip(starts, [*starts[1:], len(sets)]), key=lambda run: (run[1] - run[0], sets[run[0]]))
    owner, taken = dict[str, str](), list[int]()
    left = [iter(range(*run)) for run in runs]
    for _ in range(most):
        for rows in left:
            taken.extend(_next_own(rows, splits, ids, owner))
    return found.take(pa.array(np.sort(np.array(taken, dtype=np.int64)))).select(REFERENCES.names)


def _next_own(rows: Iterator[int], splits: list[str], ids: list[str], owner: dict[str, str]) -> Iterator[int]:
    """Yields the next row, if there is one, whose caption is not the other split's, which owns it from then on."""
    for row in rows:
        if owner.setdefault(ids[row], splits[row]) == splits[row]:
            yield row
            return
