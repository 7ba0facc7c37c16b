"""Exact duplicates: the same normalised text at several places."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

PLACE = ("file", "record", "item", "sentence")
Int64 = npt.NDArray[np.int64]


def sort_raw(raw: pa.Table) -> pa.Table:
    """The rows in the order of id and place: the one order that every arrangement of the same rows ends in.

    Malformed texts of one record share both; then what was wrong with them decides.
    """
    return raw.sort_by([(name, "ascending") for name in ("id", *PLACE, "detail")])


def first_places(ids: npt.NDArray[np.bytes_]) -> Int64:
    """For sorted ids of shape (n,): the index of the first row with the same id, shape (n,)."""
    if len(ids) == 0:
        return np.zeros(0, dtype=np.int64)
    new = np.append(True, ids[1:] != ids[:-1])
    return np.flatnonzero(new)[np.cumsum(new) - 1]
