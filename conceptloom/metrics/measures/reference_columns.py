"""The column that every row of preset `sound` begins with: how many references there are, for the signature."""

from collections.abc import Callable, Sequence

import numpy as np

from conceptloom.errors import InputError
from conceptloom.hashing import text_hash
from conceptloom.metrics.base import Item
from conceptloom.metrics.measures.sums import Floats

WIDTH = 1
_EXACT_BITS = 53
"""Integers of so many bits are exact as floats."""


def with_references(items: Sequence[Item], width: int, columns: Callable[[], Sequence[Sequence[float]]]) -> Floats:
    """Rows (items, 1 + width): the number of the item's references, and the `columns` of each item.

    Raises InputError for an item without references, before any column is asked for.
    """
    bare = [item.key for item in items if not item.references]
    if bare:
        raise InputError(f"{len(bare)} predictions have no reference, such as {bare[0]!r}")
    found = columns() if items else ()
    rows = [[float(len(item.references)), *more] for item, more in zip(items, found, strict=True)]
    return np.array(rows).reshape(-1, WIDTH + width)


def reference_parts(rows: Floats) -> dict[str, object]:
    """For a signature: the number of references, `var` where it varies."""
    counts = np.unique(rows[:, 0])
    return {"nrefs": int(counts[0]) if len(counts) == 1 else "var"}


def float_hash(text: str) -> float:
    """53 bits of a text's hash, exact as a float."""
    return float(text_hash(text) >> (64 - _EXACT_BITS))
