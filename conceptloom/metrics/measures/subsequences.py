"""The longest common subsequence of two sentences."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def common_subsequence(first: Sequence[T], second: Sequence[T]) -> int:
    """The length of the longest common subsequence.

    >>> common_subsequence("abcde", "xbxdx")
    2
    """
    return subsequence_length(places(first), len(first), second)


def places(tokens: Iterable[T]) -> dict[T, int]:
    """The places of each token, as the bits of an integer: what `subsequence_length` compares others with."""
    masks: dict[T, int] = {}
    bit = 1
    for token in tokens:
        masks[token] = masks.get(token, 0) | bit
        bit <<= 1
    return masks


def subsequence_length(masks: dict[T, int], size: int, other: Iterable[T]) -> int:
    """The length of the longest subsequence that a sentence has in common with `other`.

    `masks` are the places of its tokens, `size` is their number. Hyyrö's bit-parallel algorithm: a row of the
    table of lengths is one integer, with a 0 bit where it grows.
    """
    every = (1 << size) - 1
    row = every
    for token in other:
        mask = masks.get(token)
        if mask:
            common = row & mask
            row = (row + common | row - common) & every
    return size - row.bit_count()
