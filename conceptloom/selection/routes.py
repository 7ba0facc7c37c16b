"""The route of posting rows to the bucket of their concept: direct, or through a group of shards."""

from dataclasses import dataclass
from math import isqrt

from conceptloom.arrays.types import Int32, UInt64
from conceptloom.hashing import bucket_of

STRAIGHT = 256
"""Up to this number of shards, each sends its posting rows directly to their buckets: a hot posting of N_s rows a
shard is then at most a tenth of its bucket."""


@dataclass(frozen=True)
class Routes:
    """Where posting rows go. With `groups`, rows of one group of shards and one range of concepts meet on the way.

    There a hot posting is capped once more, so its bucket gets N_s rows from each group instead of each shard; and n
    shards send n sqrt(n) blocks twice, where direct routes take n * n.
    """

    buckets: int
    groups: int = 0
    """How many groups of shards there are, and ranges of concepts; 0: the rows go directly to their buckets."""

    @classmethod
    def among(cls, buckets: int) -> "Routes":
        """Returns the routes among this number of shards, and as many buckets of concepts.

        >>> Routes.among(256), Routes.among(10_000)
        (Routes(buckets=256, groups=0), Routes(buckets=10000, groups=100))
        """
        return cls(buckets, isqrt(buckets) if buckets > STRAIGHT else 0)

    def first(self, concepts: UInt64, shard: int) -> Int32:
        """Returns the key by which each row of a shard is sent, from the hashes of the concepts; shape kept."""
        if not self.groups:
            return self.last(concepts)
        return bucket_of(concepts, self.groups) * self.groups + shard * self.groups // self.buckets

    def last(self, concepts: UInt64) -> Int32:
        """Returns the bucket in which each row is scored; shape kept."""
        return bucket_of(concepts, self.buckets)
