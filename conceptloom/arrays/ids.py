"""The ids of concept sets: the same set has the same one in every build, table and list of tasks."""

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa

from conceptloom.arrays.concept_sets import concept_sets, set_hashes
from conceptloom.hashing import ID_BYTES, UInt64, splitmix64
from conceptloom.schemas import STRINGS
from conceptloom.selection.postings import unpack_ids


def set_ids(sets: UInt64) -> pa.Array:
    """Ids of concept sets: 20 hexadecimal digits as a sentence has, the first 16 of them the set's hash."""
    octets = np.column_stack([half.astype(">u8").view(np.uint8).reshape(-1, 8) for half in (sets, splitmix64(sets))])
    data = np.ascontiguousarray(octets[:, :ID_BYTES]).tobytes()
    packed = pa.Array.from_buffers(pa.binary(ID_BYTES), len(sets), [None, pa.py_buffer(data)])
    return pa.array(unpack_ids(packed)).cast(pa.string())


def ids_of_sets(sets: Sequence[Collection[str]]) -> list[str]:
    """The id of each concept set, whatever the order of its concepts; one that stands twice in a set counts once."""
    ids: list[str] = set_ids(set_hashes(concept_sets(pa.array(map(list, sets), STRINGS)))).to_pylist()
    return ids
