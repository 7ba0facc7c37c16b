"""How many concept sets hold each concept: the denominator of rho(x) (CommonGen, section 3.1)."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from conceptloom.arrays.lists import Lists
from conceptloom.arrays.types import Int64


@dataclass(frozen=True)
class Degrees:
    """Counts over distinct concept sets."""

    sets: int = 0
    """|X|, their number."""
    of_concept: Int64 = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """How many of them hold each concept, shape (concepts seen,); concepts beyond its end are in none."""

    def merge(self, other: "Degrees") -> "Degrees":
        """Returns the counts of both, whose sets must be distinct. Associative and commutative."""
        merged = np.zeros(max(len(self.of_concept), len(other.of_concept)), dtype=np.int64)
        for part in (self.of_concept, other.of_concept):
            merged[: len(part)] += part
        return Degrees(self.sets + other.sets, merged)

    def to_bytes(self) -> bytes:
        """Returns little-endian integers of 64 bits: the number of sets, then the degrees."""
        return np.concatenate(([self.sets], self.of_concept)).astype("<i8").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Degrees":
        """The inverse of `to_bytes`."""
        numbers = np.frombuffer(data, dtype="<i8").astype(np.int64)
        return cls(int(numbers[0]), numbers[1:])


def count_degrees(mined: pa.RecordBatch) -> Degrees:
    """Returns the degrees of distinct sets (schema MINED)."""
    values = Lists.from_arrow(mined.column("concepts")).values
    return Degrees(len(mined), np.bincount(values).astype(np.int64))


def merge_degrees(parts: Iterable[Degrees]) -> Degrees:
    """Returns the degrees of several blocks of distinct sets, in any order."""
    merged = Degrees()
    for part in parts:
        merged = merged.merge(part)
    return merged
