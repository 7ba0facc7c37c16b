"""Blocks that are cut and put together: by any size, in any order, whatever they hold."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptloom.parts import _MARK, OVERHEAD, PART_BYTES, cut, joined

BLOCKS = st.lists(st.binary(max_size=40) | st.builds(_MARK.__add__, st.binary(max_size=9)) | st.just(_MARK * 3))


@given(BLOCKS, st.integers(1, 50), st.integers())
def test_what_is_cut_is_put_together(blocks: list[bytes], size: int, seed: int) -> None:
    pieces = [piece for block in blocks for piece in cut(block, size)]
    Random(seed).shuffle(pieces)
    assert Counter(joined(pieces)) == Counter(blocks)
    assert all(len(piece) <= size + OVERHEAD for piece in pieces)


def test_a_block_is_sent_as_it_is_up_to_the_largest_size() -> None:
    block = bytes(PART_BYTES)
    assert [piece is block for piece in cut(block)] == [True]
    assert [len(piece) - OVERHEAD for piece in cut(block + b"1")] == [PART_BYTES, 1]


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_a_part_that_is_missing_is_an_error(lost: int) -> None:
    pieces = [*cut(b"abc", 1), *cut(b"abc", 1)]
    del pieces[lost]
    with pytest.raises(ValueError, match="arrived incomplete"):
        joined(pieces)
