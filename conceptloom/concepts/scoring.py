"""The score of a concept set (CommonGen, section 3.1).

score(x) = |S(x)| * |distinct words of S(x)| / (sum of the lengths of S(x)) * rho(x), and
rho(x) = |X| / (the largest number of sets of X that hold one concept of x).
"""

import numpy as np
import pyarrow as pa

from conceptloom.arrays.concept_sets import ConceptSets, mixed_hashes
from conceptloom.arrays.lists import Lists
from conceptloom.arrays.types import Float64, Int64, UInt64
from conceptloom.concepts.coded_sentences import INTEGERS
from conceptloom.concepts.degrees import Degrees
from conceptloom.hashing import splitmix64

SCORED = pa.schema(
    [
        ("set", pa.uint64()),
        ("concepts", INTEGERS),
        ("support", pa.int32()),
        ("words", pa.int32()),
        ("length", pa.int64()),
        ("chance", pa.int64()),
        ("degree", pa.int64()),
        ("score", pa.float64()),
    ]
)
"""A mined set with the hash of its concepts, the largest degree among them, and its score."""

DECIMALS = 6
"""Scores are rounded before they are stored or compared: scores that differ by less are equal."""


def score(mined: pa.RecordBatch, degrees: Degrees, hashes: UInt64) -> pa.RecordBatch:
    """Returns mined sets (schema MINED) with ids and scores, schema SCORED, in their order.

    `degrees` are those of all shards; `hashes` are those of the concepts (`Lexicon.hashes`), so that the id of a set is
    the same in every corpus. All lengths must be positive.
    """
    concepts = Lists.from_arrow(mined.column("concepts"))
    degree = np.maximum.reduceat(degrees.of_concept[concepts.values], concepts.offsets[:-1])
    # The concepts are few: mixed before they are spread over the sets.
    sets = mixed_hashes(ConceptSets(splitmix64(hashes)[concepts.values], concepts.offsets))
    support, words, length = (mined.column(name).to_numpy() for name in ("support", "words", "length"))
    scores = scores_of(support.astype(np.int64), words, length, degrees.sets, degree)
    return pa.record_batch([pa.array(sets), *mined.columns, pa.array(degree), pa.array(scores)], schema=SCORED)


def scores_of(support: Int64, words: Int64, length: Int64, sets: int, degree: Int64) -> Float64:
    """Returns the formula's value for each set, from integers: the only place where a score is computed.

    Products of integers are exact, and each division is rounded once, the same way on every machine.
    """
    return np.round((support * words) / length * (sets / degree), DECIMALS)
