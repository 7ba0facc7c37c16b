"""The first column of every row of preset `sound`: the number of references, which signatures state."""

from collections.abc import Callable, Sequence

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.errors import InputError
from conceptloom.hashing import text_hash
from conceptloom.metrics.base import Item

WIDTH = 1
_EXACT_BITS = 53
"""Integers of this many bits are exact as floats."""


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


def float_hash(text: str) -> float:
    """53 bits of a text's hash, exact as a float."""
    return float(text_hash(text) >> (64 - _EXACT_BITS))
