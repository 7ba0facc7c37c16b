"""Work with a model on Beam: opened once, block by block, counted, never in the pool; and a model that cannot open."""

import os
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import apache_beam as beam
import pytest

from conceptloom.errors import BuildError, ConceptloomError, ConfigError
from conceptloom.parallel import local_pool
from conceptloom.runners.direct import DirectRunner
from conceptloom.tasks.base import Output, Task
from conceptloom.tasks.models import counted
from conceptloom.transforms.blocks import GroupBlocks
from conceptloom.transforms.models import MapBlocksWithModel

OPENED: list[str] = []
"""The names of the models opened in this process."""
SEEN: list[tuple[int, bytes]] = []
"""What came out of the pipeline."""


@dataclass(frozen=True)
class Upper:
    """A tiny model: it knows its process, and writes blocks in capitals."""

    process: int
    busy: threading.Lock
    outputs: ClassVar[tuple[str, ...]] = ("upper", "lengths")

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        assert self.busy.acquire(blocking=False), "two threads use the model"
        assert self.process == os.getpid()
        for block in sorted(blocks):
            yield Output("upper", bucket, (side or b"") + block.upper())
            yield Output("lengths", 0, b"%d" % len(block))
        yield counted(bucket, items=len(list(blocks)))
        self.busy.release()


@dataclass(frozen=True)
class Shout:
    """See ModelTask."""

    name: str
    outputs: ClassVar[tuple[str, ...]] = Upper.outputs

    def open(self) -> Task:
        if self.name == "missing":
            raise ConfigError("device cuda: torch finds no GPU")
        if self.name == "broken":
            raise RuntimeError("no\nmodel")
        OPENED.append(self.name)
        return Upper(os.getpid(), threading.Lock())


def _see(element: tuple[int, bytes]) -> None:
    SEEN.append(element)


def shout(name: str, side: bytes | None = None, options: tuple[str, ...] = ()) -> dict[str, int]:
    """Runs the task on three blocks in two buckets; returns the runner's counters."""
    OPENED.clear()
    SEEN.clear()

    def construct(pipeline: beam.Pipeline) -> None:
        blocks = pipeline | beam.Create([(0, b"a"), (1, b"bc"), (0, b"d")]) | GroupBlocks()
        sides = None if side is None else pipeline | "Side" >> beam.Create([side])
        done = blocks | MapBlocksWithModel("screen", Shout(name), sides)
        done["upper"] | "See" >> beam.Map(_see)

    return DirectRunner(options).run("screen", construct)


@pytest.mark.slow
def test_each_block_is_worked_on_once_by_one_model() -> None:
    counters = shout("once")
    assert sorted(SEEN) == [(0, b"A"), (0, b"D"), (1, b"BC")]
    assert OPENED == ["once"]
    assert counters["model_loads_Shout"] == 1
    assert counters["model_blocks_Shout"] == 2
    assert counters["items_Shout"] == 3
    assert {"model_load_ms_Shout", "model_ms_Shout", "cpu_ms_Shout"} <= set(counters)
    assert (counters["shuffled_blocks_upper"], counters["shuffled_bytes_lengths"]) == (3, 3)


@pytest.mark.slow
def test_bundles_in_several_threads_share_the_model() -> None:
    """The model asserts that one thread uses it at a time."""
    counters = shout("threads", options=("--direct_num_workers=2", "--direct_running_mode=multi_threading"))
    assert OPENED == ["threads"]
    assert counters["model_loads_Shout"] == 1
    assert sorted(SEEN) == [(0, b"A"), (0, b"D"), (1, b"BC")]


def test_a_side_input_reaches_the_model() -> None:
    shout("side", b"<")
    assert sorted(SEEN) == [(0, b"<A"), (0, b"<D"), (1, b"<BC")]


def test_the_local_pool_is_left_alone() -> None:
    """The model asserts that it runs in the process that opened it: this one."""
    with local_pool(2):
        shout("here")
    assert OPENED == ["here"]
    assert len(SEEN) == 3


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("missing", ConfigError, "stage screen: device cuda: torch finds no GPU"),
        ("broken", BuildError, "stage screen: the model cannot be opened: RuntimeError: no model"),
    ],
)
def test_a_model_that_cannot_be_opened_is_an_error_that_names_the_stage(
    name: str, kind: type[ConceptloomError], message: str
) -> None:
    with pytest.raises(ConceptloomError) as raised:
        shout(name)
    assert type(raised.value) is kind
    assert str(raised.value) == message


def test_hints_ask_for_workers_with_the_device() -> None:
    pipeline = beam.Pipeline()
    blocks: Any = pipeline | beam.Create([(0, [b"a"])])
    blocks | MapBlocksWithModel("screen", Shout("hints"), hints={"accelerator": "type:nvidia-l4;count:1"})
    environments = pipeline.to_runner_api().components.environments.values()
    assert any(b"nvidia-l4" in value for one in environments for value in one.resource_hints.values())
