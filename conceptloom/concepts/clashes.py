"""Clashes as numbers: which concept sets a sentence does not support, although it has their concepts.

What a clash is, and how a sentence's are found, says `conceptloom.corpus.clashes`.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.columns import one_array
from conceptloom.arrays.lists import Lists, list_array, list_sizes, offsets_of
from conceptloom.arrays.runs import gather
from conceptloom.arrays.types import Bool, Column, Int32, Int64
from conceptloom.concepts.lexicon import Lexicon
from conceptloom.corpus.clashes import SEPARATOR


class Clashes(NamedTuple):
    """The clashes of some groups (sentences, say): group i has those from `offsets[i]` up to `offsets[i + 1]`."""

    offsets: Int64
    """Shape (groups + 1,)."""
    concepts: Lists
    """The concepts of each clash, ascending."""

    def groups(self) -> Int64:
        """Returns the group of each clash, shape (clashes,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def held(self, groups: Int64, sets: Int64, concepts: Int32) -> Bool:
        """Returns for each group whether the set beside it holds one of the group's clashes, shape (len(groups),).

        `sets` are rows of `concepts`, shape (sets, size), which may be padded with -1.
        """
        result = np.zeros(len(groups), dtype=np.bool_)
        # Nearly no group has a clash.
        some = np.flatnonzero((self.offsets[1:] > self.offsets[:-1])[groups])
        if len(some):
            counts = np.diff(self.offsets)[groups[some]]
            tried = self.concepts.take(gather(self.offsets[groups[some]], counts))
            owners = np.repeat(some, counts)
            inside = concepts[np.repeat(sets[owners], tried.sizes)] == tried.values[:, None]
            result[owners[np.logical_and.reduceat(inside.any(axis=1), tried.offsets[:-1])]] = True
        return result

    def within(self, concepts: Lists) -> "Clashes":
        """Returns the clashes whose concepts are all among their group's `concepts`, which ascend in each group."""
        if not len(self.concepts.sizes):
            return self
        groups, sizes = self.groups(), self.concepts.sizes
        # An unknown concept is -1.
        span = 2 + max(int(numbers.max(initial=-1)) for numbers in (concepts.values, self.concepts.values))
        owned = np.repeat(np.arange(len(concepts.sizes)) * span, concepts.sizes) + concepts.values + 1
        inside = is_in(np.repeat(groups * span, sizes) + self.concepts.values + 1, owned)
        kept = np.flatnonzero(np.logical_and.reduceat(inside, self.concepts.offsets[:-1]))
        counts = np.bincount(groups[kept], minlength=len(self.offsets) - 1)
        return Clashes(offsets_of(counts), self.concepts.take(kept))

    def by_last(self, concepts: Lists) -> "Clashes":
        """Returns the clashes grouped by the place of their last concept among `concepts.values`, and without it.

        `concepts` are those of each group, ascending, and hold those of its clashes.
        """
        ends = self.concepts.offsets[1:] - 1
        span = int(concepts.values.max(initial=0)) + 1
        owned = np.repeat(np.arange(len(concepts.sizes)) * span, concepts.sizes) + concepts.values
        places = np.searchsorted(owned, self.groups() * span + self.concepts.values[ends])
        order = np.argsort(places, kind="stable")
        others = Lists(np.delete(self.concepts.values, ends), offsets_of(self.concepts.sizes - 1)).take(order)
        return Clashes(offsets_of(np.bincount(places, minlength=len(concepts.values))), others)

    def to_arrow(self) -> pa.ListArray:
        """Returns the groups as an Arrow array of lists of lists of int32."""
        return list_array(self.concepts.to_arrow(), self.offsets)

    @classmethod
    def from_arrow(cls, column: Column) -> "Clashes":
        """The inverse of `to_arrow`, also for a slice or a chunked column."""
        lists = one_array(column)
        return cls(offsets_of(list_sizes(lists)), Lists.from_arrow(lists.flatten()))


def code_clashes(names: Column, concepts: Lists, terms: Lexicon) -> Clashes:
    """Returns the clashes of sentences, given as lists of concepts joined by `#`; `concepts` are each one's numbers.

    A clash with a concept that its sentence has no longer is left out: no set of the sentence holds it.
    """
    rows = one_array(names)
    parts = pc.split_pattern(rows.flatten(), SEPARATOR)
    sizes = list_sizes(parts)
    numbers = pc.fill_null(pc.index_in(parts.flatten(), value_set=terms.terms), -1).to_numpy(zero_copy_only=False)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    ascending = numbers[np.lexsort((numbers, owners))].astype(np.int32)
    return Clashes(offsets_of(list_sizes(rows)), Lists(ascending, offsets_of(sizes))).within(concepts)


def no_clashes(rows: int) -> Clashes:
    """Returns none for each of so many groups."""
    return Clashes(np.zeros(rows + 1, dtype=np.int64), Lists(np.zeros(0, dtype=np.int32), np.zeros(1, dtype=np.int64)))


def is_in(keys: Int64, ordered: Int64) -> Bool:
    """Returns whether each key is one of the `ordered` ones, which ascend; shape (keys,)."""
    if not len(ordered):
        return np.zeros(len(keys), dtype=np.bool_)
    found = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    return np.asarray(ordered[found] == keys, dtype=np.bool_)
