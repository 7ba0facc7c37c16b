"""The ablations of Korean CommonGen (section 6, appendices B.1 and C.1) on rows of a built data set (schema DATA).

They change what a model is trained on, never the sentences. The same rows and seed give the same variant, in any order
of the rows.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.columns import strings
from conceptloom.arrays.lists import list_array, list_sizes, offsets_of, string_lists
from conceptloom.corpus.analysis import shuffled
from conceptloom.hashing import ID_LENGTH, id_heads, seed_for, splitmix64, text_hash
from conceptloom.schemas import DATA, STRINGS

PAPER_SEEDS = (42, 52, 62, 72, 82)
"""The five seeds of the paper's high-level variant (appendix B.1)."""

CURRICULUM = ("captions", "dialogues")
"""The order of training (appendix C.1)."""

Extractor = Callable[[list[str]], Sequence[Sequence[str]]]


def high_level(concepts: Sequence[str], seed: int, key: str) -> tuple[str, ...]:
    """Returns the set without one concept, which the model must infer (appendix B.1); the others keep their order.

    The concept is chosen uniformly by a hash of `key` (the row's id) and the seed. A set of one concept stays as it is,
    because an empty set would give the model nothing to infer from.

    >>> high_level(("개", "제트기", "지나가"), 42, "개가 제트기 옆을 지나간다.")
    ('제트기', '지나가')
    """
    if len(concepts) < 2:
        return tuple(concepts)
    priority = splitmix64(np.uint64(text_hash(key)) ^ seed_for("high-level", seed))
    deleted = int(priority) % len(concepts)
    return tuple(concepts[:deleted]) + tuple(concepts[deleted + 1 :])


def high_level_rows(rows: pa.Table, seed: int) -> pa.Table:
    """Returns the rows (schema DATA) with one concept of each set deleted, keyed by the row's id."""
    pairs = zip(rows["concepts"].to_pylist(), rows["id"].to_pylist(), strict=True)
    return _with_concepts(rows, pa.array([high_level(concepts, seed, key) for concepts, key in pairs], STRINGS))


def source_rows(rows: pa.Table, source: str) -> pa.Table:
    """Returns the rows of one source, in their order (section 6.2, table 4: `IC` captions, `DS` dialogue summaries)."""
    return rows.filter(pc.equal(rows["source"], source))


def curriculum_order(sources: Iterable[str]) -> list[str]:
    """Returns sources in the order of training: captions, dialogues, then others by name (appendix C.1)."""
    return sorted(sources, key=lambda name: (CURRICULUM.index(name) if name in CURRICULUM else len(CURRICULUM), name))


def curriculum_rows(rows: pa.Table) -> pa.Table:
    """Returns the rows of each source together, sources in the order of training, rows of a source as given."""
    ranks = pc.index_in(rows["source"], pa.array(curriculum_order(pc.unique(rows["source"]).to_pylist()), pa.string()))
    return rows.take(pa.array(np.argsort(ranks.to_numpy(), kind="stable")))


def reextracted_rows(rows: pa.Table, extract: Extractor, seed: int) -> tuple[pa.Table, pa.Table]:
    """Returns the rows with the concepts that `extract` finds in their targets, and the rows in which it finds none.

    With the rules `noun-verb` and `free-morpheme` these are the variants of section 6.1. The order of a set is shuffled
    by its row's id, as in every build.
    """
    found = string_lists([list(concepts) for concepts in extract(rows["target"].to_pylist())])
    heads = id_heads(strings(rows["id"], ID_LENGTH))
    offsets = offsets_of(list_sizes(found))
    order = shuffled(heads, offsets, seed)
    changed = _with_concepts(rows, list_array(found.values.take(pa.array(order)), offsets))
    empty = pc.equal(pc.list_value_length(changed["concepts"]), 0)
    return changed.filter(pc.invert(empty)), rows.filter(empty)


def _with_concepts(rows: pa.Table, concepts: pa.Array) -> pa.Table:
    return rows.set_column(DATA.get_field_index("concepts"), DATA.field("concepts"), concepts)
