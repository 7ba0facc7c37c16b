"""The rows of items that the measures keep. The first column is the number of references, which signatures state."""

from collections.abc import Callable, Sequence

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.errors import InputError
from conceptloom.metrics.base import Item

WIDTH = 1
"""The number of columns before those of a measure."""


def with_references(items: Sequence[Item], width: int, columns: Callable[[], Sequence[Sequence[float]]]) -> Float64:
    """Rows of shape (items, 1 + width): the number of the item's references, then the item's `columns`.

    Raises InputError for an item without references, before `columns` is called.
    """
    bare = [item.key for item in items if not item.references]
    if bare:
        raise InputError(f"{len(bare)} predictions have no reference, such as {bare[0]!r}")
    found = columns() if items else ()
    rows = [[float(len(item.references)), *more] for item, more in zip(items, found, strict=True)]
    return np.array(rows).reshape(-1, WIDTH + width)


def reference_parts(rows: Float64) -> dict[str, object]:
    """For a signature: the number of references, or `var` if it varies."""
    counts = np.unique(rows[:, 0])
    return {"nrefs": int(counts[0]) if len(counts) == 1 else "var"}
