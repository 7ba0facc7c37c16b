"""Blocks of bytes of any size, carried as parts of a bounded size.

An engine's shuffle has a largest record: Flink sorts in buffers of a few megabytes and refuses what does not fit.
"""

import struct
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b

PART_BYTES = 1 << 20
"""The largest content of one part: a fixed number, so that what is sent does not depend on the engine."""

_MARK = b"\x93conceptloom part"
"""How a part begins. A whole block that begins like this is itself sent as one part."""
_HEAD = struct.Struct(">16sII")
"""A part's block (the hash of its content), its place in it, and the number of its parts."""
OVERHEAD = len(_MARK) + _HEAD.size
"""The bytes of a part beside its content."""


def cut(block: bytes, size: int = PART_BYTES) -> Iterator[bytes]:
    """Yields the block itself, or its parts, with at most `size` bytes of content, if it is larger than `size`."""
    if len(block) <= size and not block.startswith(_MARK):
        yield block
        return
    digest, count = blake2b(block, digest_size=16).digest(), -(-len(block) // size)
    for place in range(count):
        yield _MARK + _HEAD.pack(digest, place, count) + block[place * size : (place + 1) * size]


def joined(pieces: Iterable[bytes]) -> list[bytes]:
    """Returns the blocks that were `cut`, in no particular order: pieces come in any order, of equal blocks too.

    Raises ValueError if a part is missing.
    """
    blocks, parts = list[bytes](), dict[tuple[bytes, int], list[tuple[int, bytes]]]()
    for piece in pieces:
        if piece.startswith(_MARK):
            digest, place, count = _HEAD.unpack_from(piece, len(_MARK))
            parts.setdefault((digest, count), []).append((place, piece[OVERHEAD:]))
        else:
            blocks.append(piece)
    for (_, count), found in parts.items():
        blocks.extend(_whole(found, count))
    return blocks


def _whole(parts: list[tuple[int, bytes]], count: int) -> list[bytes]:
    """Returns one block as often as it was sent, from its places with their content."""
    contents, times = dict(parts), len(parts) // count
    if Counter(place for place, _ in parts) != dict.fromkeys(range(count), times):
        raise ValueError(f"a block of {count} parts arrived incomplete: places {sorted(place for place, _ in parts)}")
    return [b"".join(contents[place] for place in range(count))] * times
