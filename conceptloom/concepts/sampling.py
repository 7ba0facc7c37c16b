"""Candidates drawn without replacement with probability by score (CommonGen, section 3.1).

Efraimidis and Spirakis (2006): of sets that wait exponentially distributed times with their scores as rates, the first
n to arrive are a weighted sample without replacement. A set's time depends only on its id and the seed, so each part of
the sets can be sampled where it is: the sample of all is among the samples of the parts.

Distributed: `sample` of each block of scored sets, `merge_samples` of all. Once some blocks are sampled, no set of
another that arrives after all of theirs can be drawn (`last_arrival`), and it need not be sent.
"""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from conceptloom.arrays.types import Float64, Int64, UInt64
from conceptloom.concepts.scoring import SCORED
from conceptloom.hashing import seed_for, splitmix64

SAMPLED = SCORED.append(pa.field("arrival", pa.float64()))
"""A scored set and its arrival time; the earlier of two sets is drawn first."""

_FRACTION_BITS = 52
"""With half a step added, each fraction is exact and neither 0 nor 1."""

_LOG_2 = 0.6931471805599453
_TERMS = 11
_BLOCK = 8192
"""Numbers whose logarithms are computed together: they stay in the processor's cache."""


def sample(scored: pa.RecordBatch | pa.Table, size: int, seed: int, last: float = np.inf) -> pa.Table:
    """Returns at most `size` of the sets (schema SCORED) in the order drawn, schema SAMPLED; never a set of score 0.

    Two sets that arrive at the same time are drawn in the order of their ids. Sets that arrive after `last` are left
    out.
    """
    sets, scores = (scored.column(name).to_numpy() for name in ("set", "score"))
    return earliest(scored, arrival_times(sets, scores, seed), size, last)


def earliest(scored: pa.RecordBatch | pa.Table, times: Float64, size: int, last: float = np.inf) -> pa.Table:
    """Returns the first of the sets (schema SCORED) that arrive at these times, as `sample` does."""
    rows = first_arrivals(np.where(times <= last, times, np.inf), scored.column("set").to_numpy(), size)
    taken = scored.take(pa.array(rows))
    return pa.table([*taken.columns, pa.array(times[rows])], schema=SAMPLED).combine_chunks()


def merge_samples(parts: Iterable[pa.Table], size: int) -> pa.Table:
    """Returns the sample of several blocks, given their samples of at least `size`; associative and commutative."""
    table = pa.concat_tables([SAMPLED.empty_table(), *parts]).combine_chunks()
    rows = first_arrivals(table["arrival"].to_numpy(), table["set"].to_numpy(), size)
    return table.take(pa.array(rows)).combine_chunks()


def last_arrival(drawn: pa.Table, size: int) -> float:
    """Returns when the last of `size` sets arrives, given the sample of some of all sets; infinite if it has fewer.

    A set that arrives later cannot be in the sample of all: at least `size` sets arrive before it.
    """
    return drawn["arrival"][size - 1].as_py() if len(drawn) >= size else np.inf


def arrival_times(sets: UInt64, scores: Float64, seed: int, purpose: str = "sample") -> Float64:
    """Returns -log(u) / score, with u in (0, 1) from the set's id and the seed; infinite for a score of 0.

    Another `purpose` is another, independent draw.
    """
    bits = splitmix64(sets ^ seed_for(purpose, seed)) >> np.uint64(64 - _FRACTION_BITS)
    uniform = (bits + 0.5) * 2.0**-_FRACTION_BITS
    with np.errstate(divide="ignore"):
        return -logarithm(uniform) / scores


def first_arrivals(times: Float64, sets: UInt64, size: int) -> Int64:
    """Returns the rows of the `size` smallest finite times, by (time, id)."""
    rows = np.flatnonzero(np.isfinite(times))
    if 0 < size < len(rows):
        rows = rows[times[rows] <= np.partition(times[rows], size - 1)[size - 1]]
    return rows[np.lexsort((sets[rows], times[rows]))][:size]


def logarithm(values: Float64) -> Float64:
    """Returns the natural logarithm of positive numbers, from basic operations alone; relative error below 1e-15.

    numpy's own differs in the last bit between processors, and a last bit can change which set is drawn last.

    >>> logarithm(np.array([1.0, 2.0, 0.5])).round(12).tolist()
    [0.0, 0.69314718056, -0.69314718056]
    """
    starts = range(0, len(values), _BLOCK)
    return np.concatenate([np.zeros(0), *(_block_logarithm(values[start : start + _BLOCK]) for start in starts)])


def _block_logarithm(values: Float64) -> Float64:
    mantissa, exponent = np.frexp(values)
    low = mantissa < np.sqrt(0.5)
    mantissa, exponent = np.where(low, 2 * mantissa, mantissa), exponent - low
    # log(m) = 2 artanh((m - 1) / (m + 1)), whose series converges fast for m near 1.
    ratio = (mantissa - 1) / (mantissa + 1)
    square, series = ratio * ratio, np.zeros_like(ratio)
    for term in reversed(range(_TERMS)):
        series *= square
        series += 1 / (2 * term + 1)
    return exponent * _LOG_2 + 2 * ratio * series
