"""The columns that every row of preset `sound` begins with: what the item was held against, for the signature."""

from collections.abc import Callable, Sequence
from hashlib import blake2b

import numpy as np

from conceptloom.errors import InputError
from conceptloom.hashing import text_hash
from conceptloom.metrics.base import Item
from conceptloom.metrics.sums import Floats

WIDTH = 2
_EXACT_BITS = 53
"""Integers of so many bits are exact as floats."""


def with_references(items: Sequence[Item], width: int, columns: Callable[[], Sequence[Sequence[float]]]) -> Floats:
    """Rows (items, 2 + width): a hash of the item's references, their number, and the `columns` of each item.

    Raises InputError for an item without references, before any column is asked for.
    """
    bare = [item.key for item in items if not item.references]
    if bare:
        raise InputError(f"{len(bare)} predictions have no reference, such as {bare[0]!r}")
    known = [(float_hash("\0".join(item.references)), float(len(item.references))) for item in items]
    found = columns() if items else ()
    return np.array([[*first, *more] for first, more in zip(known, found, strict=True)]).reshape(-1, WIDTH + width)


def reference_parts(rows: Floats) -> dict[str, object]:
    """For a signature: the number of references (`var` where it varies), and 16 hexadecimal digits of their hash."""
    counts = np.unique(rows[:, 1])
    found = int(counts[0]) if len(counts) == 1 else "var"
    return {"nrefs": found, "refs": blake2b(rows[:, 0].astype("<f8").tobytes(), digest_size=8).hexdigest()}


def float_hash(text: str) -> float:
    """53 bits of a text's hash, exact as a float."""
    return float(text_hash(text) >> (64 - _EXACT_BITS))
