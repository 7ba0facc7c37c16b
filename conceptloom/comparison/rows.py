"""The rows of one range of ids in two data sets: which were added, are gone, have changed, or moved between splits."""

from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.concept_sets import Bool
from conceptloom.hashing import ID_LENGTH
from conceptloom.tables import one_array, strings

DIFFERENCES = pa.schema(
    [
        ("id", pa.string()),
        ("kind", pa.string()),
        ("old_split", pa.string()),
        ("new_split", pa.string()),
        ("columns", pa.string()),
        ("stage", pa.string()),
        ("reason", pa.string()),
        ("detail", pa.string()),
    ]
)
"""One row for each difference: a row that moved and changed has two. What does not apply is an empty text.

`columns` are the changed ones, joined by commas. Stage, reason and detail are those with which the new build left out
what is gone, and those with which the old build had left out what was added; or the reason is UNREAD.
"""

KINDS = ("added", "gone", "changed", "moved")
UNREAD = "not_in_input"
"""The reason where the other build did not read the sentence at all."""

_WHY = ("stage", "reason", "detail")


def compare_rows(
    old: pa.Table, new: pa.Table, old_rejected: pa.Table, new_rejected: pa.Table, columns: Sequence[str]
) -> pa.Table:
    """The differences (schema DIFFERENCES) between the rows of two data sets, sorted by id, then kind.

    `old` and `new` have `id`, `split` and the `columns` that are compared; the rejected rows are those with an id,
    without duplicates: one for each sentence that a build read and left out. All of one range of ids, in any order.
    """
    ours, theirs = strings(old["id"], ID_LENGTH), strings(new["id"], ID_LENGTH)
    _, left, right = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    gone = old.take(pa.array(np.setdiff1d(np.arange(len(ours)), left)))
    added = new.take(pa.array(np.setdiff1d(np.arange(len(theirs)), right)))
    parts = [
        _one_sided("added", added, "new_split", old_rejected),
        _one_sided("gone", gone, "old_split", new_rejected),
        *_in_both(old.take(pa.array(left)), new.take(pa.array(right)), columns),
    ]
    return pa.concat_tables(parts).sort_by([("id", "ascending"), ("kind", "ascending")])


def _one_sided(kind: str, rows: pa.Table, split: str, rejected: pa.Table) -> pa.Table:
    """The differences that rows of one data set only are, with the reason why the other one left them out."""
    places = pc.index_in(rows["id"], value_set=one_array(rejected["id"]))
    why = {name: one_array(rejected[name].take(places)) for name in _WHY}
    why["reason"] = pc.fill_null(why["reason"], UNREAD)
    return _differences(kind, rows["id"], {split: rows["split"], **why})


def _in_both(before: pa.Table, after: pa.Table, columns: Sequence[str]) -> list[pa.Table]:
    """The differences between rows of the same ids, in the same order."""
    splits = {"old_split": before["split"], "new_split": after["split"]}
    moved = _differences("moved", before["id"], splits)
    changes = np.array([differing(before[name], after[name]) for name in columns])
    changed = _differences("changed", before["id"], {**splits, "columns": _names(changes, columns)})
    masks = differing(before["split"], after["split"]), changes.any(axis=0)
    return [table.filter(pa.array(mask)) for table, mask in zip((moved, changed), masks)]


def _names(changes: Bool, columns: Sequence[str]) -> pa.Array:
    """The names of the columns that changed, joined; `changes` has shape (len(columns), rows)."""
    patterns, places = np.unique(changes, axis=1, return_inverse=True)
    every = [",".join(compress(columns, pattern)) for pattern in patterns.T]
    return pa.array(every, pa.string()).take(pa.array(places.ravel()))


def _differences(kind: str, ids: Any, values: dict[str, Any]) -> pa.Table:
    empty = pa.repeat("", len(ids))
    known = {"id": ids, "kind": pa.repeat(kind, len(ids)), **values}
    return pa.table([pc.fill_null(known.get(name, empty), "") for name in DIFFERENCES.names], schema=DIFFERENCES)


def differing(left: Any, right: Any) -> Bool:
    """Whether two columns of strings, or of lists of strings, differ at each row; shape (rows,). Nulls are equal."""
    one, other = one_array(left), one_array(right)
    if pa.types.is_list(one.type):
        return _lists_differ(one, other)
    unequal = pc.fill_null(pc.not_equal(one, other), pc.xor(pc.is_null(one), pc.is_null(other)))
    return np.asarray(unequal.to_numpy(zero_copy_only=False), dtype=np.bool_)


def _lists_differ(one: pa.Array, other: pa.Array) -> Bool:
    """Lists of other lengths differ; of the others the values are compared side by side."""
    lengths = [pc.fill_null(pc.list_value_length(column), -1).to_numpy(zero_copy_only=False) for column in (one, other)]
    result = np.asarray(lengths[0] != lengths[1])
    same = pa.array(~result)
    unequal = differing(one.filter(same).flatten(), other.filter(same).flatten())
    rows = np.repeat(np.flatnonzero(~result), np.maximum(lengths[0][~result], 0))
    result[rows[unequal]] = True
    return result
