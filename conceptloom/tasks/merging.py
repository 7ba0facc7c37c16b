"""Merging in a tree: the blocks of all shards come to one place by levels, a bounded number of them at a time.

If every shard sent its block straight there, that place would get more bytes the larger the corpus is, and no engine
sends more than 2 GiB of one key. The blocks of a level are merged `TOGETHER` at a time; `above` says where.
"""

TOGETHER = 16
"""The number of blocks that are merged at a time."""


def above(bucket: int) -> int:
    """Returns the bucket to which a block of a bucket goes to be merged."""
    return bucket // TOGETHER


def levels(blocks: int) -> int:
    """Returns how often blocks from that many buckets are merged until at most TOGETHER are left, all for bucket 0.

    >>> levels(0), levels(16), levels(17), levels(256), levels(257)
    (0, 0, 1, 1, 2)
    """
    return len(blocks_by_level(blocks, least=0))


def blocks_by_level(blocks: int, least: int = 1) -> list[int]:
    """Returns how many blocks leave each level of the tree; there are at least `least` levels.

    >>> blocks_by_level(7), blocks_by_level(256), blocks_by_level(10_000)
    ([1], [16], [625, 40, 3])
    """
    left = list[int]()
    while blocks > TOGETHER or len(left) < least:
        blocks = -(-blocks // TOGETHER)
        left.append(blocks)
    return left
