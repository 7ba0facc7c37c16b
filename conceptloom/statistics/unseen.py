"""Unseen singles, pairs and triples: concepts that a held-out split combines and train never does (table 1).

Distributed: `eval_tuples` of the held-out split (it fits in memory), `seen_in` of each train block, the masks joined by
logical or, then `unseen`.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa

from conceptloom.arrays.concept_sets import ConceptSets, found_in, keys_among, stored_sets, subsets, tuple_hashes
from conceptloom.arrays.runs import distinct
from conceptloom.arrays.types import Bool, Int64, UInt64

WIDTHS = (1, 2, 3)
"""Singles, pairs, triples."""


@dataclass(frozen=True)
class EvalTuples:
    """The concept tuples of a held-out split, one entry for each of WIDTHS."""

    vocabulary: UInt64
    """The hashes of the split's distinct concepts, sorted."""
    unordered: tuple[UInt64, ...]
    """The hashes of the distinct unordered tuples, sorted."""
    ordered: tuple[Int64, ...]
    """For each distinct tuple in stored order, which of the unordered ones it is."""

    def nothing_seen(self) -> Bool:
        """Returns the mask of no train set at all: the start for joining masks."""
        return np.zeros(sum(map(len, self.unordered)), dtype=np.bool_)


@dataclass(frozen=True)
class Unseen:
    """Numbers of tuples that no train set holds, as (singles, pairs, triples)."""

    published: tuple[int, ...]
    """Distinct *ordered* tuples, in the stored order of each set: the paper's numbers were counted so."""
    sound: tuple[int, ...]
    """Distinct unordered tuples: numbers that do not depend on how the sets were shuffled."""

    def to_json(self) -> dict[str, dict[str, int]]:
        """Returns {"published": {"singles", "pairs", "triples"}, "sound": the same}."""
        names = ("singles", "pairs", "triples")
        return {"published": dict(zip(names, self.published)), "sound": dict(zip(names, self.sound))}


def eval_tuples(examples: pa.Table) -> EvalTuples:
    """Returns the tuples of a held-out split (schema EXAMPLES). A repeated concept makes no tuple with itself."""
    stored = stored_sets(examples["concepts"])
    widths = [_tuples(stored, width) for width in WIDTHS]
    unordered, ordered = zip(*widths)
    return EvalTuples(distinct(stored.values), unordered, ordered)


def seen_in(train: ConceptSets, tuples: EvalTuples) -> Bool:
    """Returns which of the unordered tuples a block of train holds in one of its sets (`concept_sets`).

    Shape (unordered tuples of all widths,), singles first. The masks of two blocks are joined by logical or.
    """
    known = train.keep(found_in(tuples.vocabulary, train.values))
    masks = (keys_among(keys, subsets(known, width).keys) for width, keys in zip(WIDTHS, tuples.unordered))
    return np.concatenate(list(masks))


def unseen(tuples: EvalTuples, seen: Bool) -> Unseen:
    """Returns the numbers of tuples that no train block holds, given the joined masks of all blocks."""
    masks = np.split(~seen, np.cumsum([len(keys) for keys in tuples.unordered])[:-1])
    published = tuple(int(mask[places].sum()) for mask, places in zip(masks, tuples.ordered))
    return Unseen(published, tuple(int(mask.sum()) for mask in masks))


def _tuples(stored: ConceptSets, width: int) -> tuple[UInt64, Int64]:
    """(distinct unordered tuples, which of them each distinct ordered tuple is)."""
    ordered, unordered = [np.empty(0, dtype=np.uint64)], [np.empty(0, dtype=np.uint64)]
    for _, matrix in stored.by_size(least=width):
        tuples = matrix[:, np.array(list(combinations(range(matrix.shape[1]), width)))].reshape(-1, width)
        members = np.sort(tuples, axis=1)
        proper = (members[:, 1:] != members[:, :-1]).all(axis=1)
        ordered.append(tuple_hashes(tuples[proper]))
        unordered.append(tuple_hashes(members[proper]))
    _, firsts = np.unique(np.concatenate(ordered), return_index=True)
    return np.unique(np.concatenate(unordered)[firsts], return_inverse=True)
