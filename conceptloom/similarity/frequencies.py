"""Document frequencies of content morphemes: counted block by block, then merged."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.runs import distinct
from conceptloom.arrays.types import Int64
from conceptloom.similarity.base import Frequencies
from conceptloom.similarity.morpheme_sets import flat_codes


def count_frequencies(sentences: pa.RecordBatch) -> Frequencies:
    """Returns in how many of these sentences (schema SENTENCES) each morpheme occurs, sorted by morpheme."""
    rows, codes, morphemes = flat_codes(sentences.column("morphemes"))
    span = max(len(morphemes), 1)
    once = distinct(rows * span + codes) % span
    counts = np.bincount(once, minlength=len(morphemes)).astype(np.int64)
    return _sorted(len(sentences), pa.array(morphemes, pa.string()), counts)


def merge_frequencies(parts: Sequence[Frequencies]) -> Frequencies:
    """Returns the frequencies of all parts together, sorted by morpheme; the order of the parts does not matter."""
    joined = pa.concat_arrays([pa.array([], pa.string()), *(part.morphemes for part in parts)]).dictionary_encode()
    counts = np.zeros(len(joined.dictionary), dtype=np.int64)
    np.add.at(counts, joined.indices.to_numpy(), np.concatenate([np.zeros(0, np.int64), *(p.counts for p in parts)]))
    return _sorted(sum(part.sentences for part in parts), joined.dictionary, counts)


def _sorted(sentences: int, morphemes: pa.Array, counts: Int64) -> Frequencies:
    order = pc.sort_indices(morphemes)
    return Frequencies(sentences, morphemes.take(order), counts[order.to_numpy()])
