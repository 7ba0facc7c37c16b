"""Exact duplicates: the same normalised text at several places."""

import numpy as np
import pyarrow as pa

from conceptloom.arrays.runs import is_first
from conceptloom.arrays.types import Bytes, Int64

PLACE = ("file", "record", "item", "sentence")


def sort_raw(raw: pa.Table) -> pa.Table:
    """Returns the rows sorted by id and place, so the same rows always end up in the same order.

    Malformed texts of one record share both; their details (what was wrong) then decide.
    """
    return raw.sort_by([(name, "ascending") for name in ("id", *PLACE, "detail")])


def first_places(ids: Bytes) -> Int64:
    """Returns for sorted ids of shape (n,) the index of the first row with the same id, shape (n,)."""
    new = is_first(ids)
    return np.flatnonzero(new)[np.cumsum(new) - 1]
