"""Side inputs and trees on Beam's local runner: no element is larger than a part, and tasks get whole blocks."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import apache_beam as beam
import pytest
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.testing.util import assert_that, equal_to

from conceptloom.parts import OVERHEAD, PART_BYTES
from conceptloom.tasks.base import Output
from conceptloom.tasks.merging import TOGETHER, above, levels
from conceptloom.transforms.blocks import EachBucket, MapBlocks, MergeInTree, Parts, Single

pytestmark = pytest.mark.slow

LARGE = [bytes([number]) * (PART_BYTES * 5 // 2) for number in (2, 1)]


@dataclass(frozen=True)
class Measure:
    """Yields what its side input is, in short."""

    outputs: ClassVar[tuple[str, ...]] = ("said",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """See Task."""
        assert side is not None
        yield Output("said", bucket, f"{len(side)} {side[:1].hex()} {side[-1:].hex()}".encode())


def fits(parts: list[bytes]) -> None:
    assert len(parts) > 1 and max(map(len, parts)) <= PART_BYTES + OVERHEAD


@pytest.mark.parametrize("single", [True, False])
def test_a_side_input_travels_in_parts(single: bool) -> None:
    """One block that was merged, or several as they are: every call gets them whole, sorted."""
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        blocks = pipeline | beam.Create([(0, block) for block in LARGE], reshuffle=False)
        side = blocks | (Single(lambda found: b"".join(sorted(found))) if single else Parts())
        assert_that(side, fits, label="parts")
        said = pipeline | EachBucket(3) | MapBlocks(Measure(), side)
        expected = f"{2 * len(LARGE[0])} 01 02".encode()
        assert_that(said["said"], equal_to([(bucket, expected) for bucket in range(3)]))


def test_a_side_input_of_nothing() -> None:
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        never = beam.Filter(lambda block: not block).with_output_types(tuple[int, bytes])
        side = pipeline | beam.Create([(0, b"x")], reshuffle=False) | never | Parts()
        said = pipeline | EachBucket(1) | MapBlocks(Measure(), side)
        assert_that(said["said"], equal_to([(0, b"0  ")]))


@dataclass(frozen=True)
class Add:
    """Adds numbers up; a bucket that gets too many blocks fails."""

    outputs: ClassVar[tuple[str, ...]] = ("sums",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """See Task."""
        numbers = [int(block) for block in blocks]
        assert len(numbers) <= TOGETHER
        yield Output("sums", above(bucket), str(sum(numbers)).encode())


@pytest.mark.parametrize("count", [1, TOGETHER, TOGETHER + 1, TOGETHER**2 + 1])
def test_a_tree_brings_all_to_one_place(count: int) -> None:
    numbers = random.Random(count).sample(range(10_000), count)
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        sent = [(above(shard), str(number).encode()) for shard, number in enumerate(numbers)]
        blocks = pipeline | beam.Create(sent, reshuffle=False).with_output_types(tuple[int, bytes])

        def all_there(found: list[tuple[int, bytes]]) -> None:
            assert {bucket for bucket, _ in found} == {0} and len(found) <= TOGETHER
            assert sum(int(block) for _, block in found) == sum(numbers)

        assert_that(blocks | MergeInTree(Add(), levels(count)), all_there)
