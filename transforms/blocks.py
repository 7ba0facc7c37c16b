"""The one way in which work is done on Beam here: a task for each bucket, blocks of Arrow bytes between them."""

from collections.abc import Iterable, Iterator
from typing import Any

import apache_beam as beam
from apache_beam import pvalue
from apache_beam.metrics import Metrics
from apache_beam.transforms.window import GlobalWindows

from conceptloom import progress
from conceptloom.parallel import Pipelined, one_thread
from conceptloom.tables import Block
from conceptloom.tasks.base import RECEIPTS, SPENT, Output, Task, sentences_in, timed

TASKS = "tasks"
"""The namespace of what tasks are counted by: of each output its bytes and blocks, of each task its CPU time.

`shuffled_bytes_OUTPUT`, `shuffled_blocks_OUTPUT`, `cpu_ms_TASK`: what crosses a shuffle is counted where it leaves the
task, on any runner.
"""


class RunTask(beam.DoFn):
    """Runs a task on (bucket, blocks); its results go to the outputs that they name, as (bucket, bytes).

    In a process with an open local pool the calls run there, a bounded number ahead; elsewhere they run inline.
    """

    def __init__(self, task: Task) -> None:
        self._task = task

    def setup(self) -> None:
        one_thread()

    def start_bundle(self) -> None:
        self._calls = Pipelined()

    def process(self, element: tuple[int, Iterable[bytes]], side: bytes | None = None) -> Iterator[Any]:
        bucket, blocks = element
        full = [block for block in blocks if block]
        for outputs in self._calls.submit(timed, self._task, bucket, full, side):
            yield from tagged(self._task, outputs)

    def finish_bundle(self) -> Iterator[Any]:
        for outputs in self._calls.drain():
            for one in tagged(self._task, outputs):
                yield pvalue.TaggedOutput(one.tag, GlobalWindows.windowed_value(one.value))


def tagged(task: object, outputs: Iterable[Output]) -> Iterator[pvalue.TaggedOutput]:
    """Yields the outputs of a task as Beam wants them, counted under the name of the task's class."""
    for output in outputs:
        if output.tag == SPENT:
            Metrics.counter(TASKS, f"cpu_ms_{type(task).__name__}").inc(int(output.data))
            continue
        if output.tag == RECEIPTS:
            # Told here, as each call ends: the steps behind may run only when all calls have ended.
            progress.advance(*sentences_in(output.data))
        Metrics.counter(TASKS, f"shuffled_bytes_{output.tag}").inc(len(output.data))
        Metrics.counter(TASKS, f"shuffled_blocks_{output.tag}").inc()
        yield pvalue.TaggedOutput(output.tag, (output.bucket, output.data))


class MapBlocks(beam.PTransform):
    """Runs `task` on each (bucket, blocks) element; the result has a PCollection of (bucket, bytes) for each output.

    `side` is a PCollection of one element, bytes, that every call gets.
    """

    def __init__(self, task: Task, side: beam.PCollection[bytes] | None = None) -> None:
        super().__init__()
        self._task = task
        self._side = side

    def expand(self, blocks: beam.PCollection[tuple[int, Iterable[bytes]]]) -> Any:
        sides = {} if self._side is None else {"side": pvalue.AsSingleton(self._side)}
        run = beam.ParDo(RunTask(self._task), **sides).with_output_types(tuple[int, bytes])
        return blocks | type(self._task).__name__ >> run.with_outputs(*self._task.outputs)


class GroupBlocks(beam.PTransform):
    """Brings the blocks of each bucket together, in no order."""

    def expand(self, blocks: beam.PCollection[Block]) -> beam.PCollection[tuple[int, Iterable[bytes]]]:
        return blocks | "Group by bucket" >> beam.GroupByKey()


class GroupEveryBucket(beam.PTransform):
    """As GroupBlocks, with an element for each of `count` buckets: one without blocks still gets its (empty) shard."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count

    def expand(self, blocks: beam.PCollection[Block]) -> beam.PCollection[tuple[int, Iterable[bytes]]]:
        every = blocks.pipeline | "Every bucket" >> beam.Create(_empty_blocks(self._count), reshuffle=False)
        return (blocks, every) | "With every bucket" >> beam.Flatten() | "Group" >> GroupBlocks()


class EachBucket(beam.PTransform):
    """One element for each of `count` buckets, without blocks: for tasks that read their bucket's shard themselves.

    They pass through a grouping, so that a runner with several workers spreads them. Where a side input is made of
    what the buckets gave, whoever wants it begins from an EachBucket of its own: the FnApiRunner does not run a graph
    in which one PCollection stands on both sides of a side input that is made of it.
    """

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count

    def expand(self, begin: Any) -> beam.PCollection[tuple[int, Iterable[bytes]]]:
        return begin | "Buckets" >> beam.Create(_empty_blocks(self._count), reshuffle=False) | "Spread" >> GroupBlocks()


def _empty_blocks(count: int) -> list[Block]:
    return [(bucket, b"") for bucket in range(count)]


class Single(beam.PTransform):
    """All blocks of bucket 0 put together by `merge` into one element: a side input for what follows.

    An empty PCollection gives merge([]).
    """

    def __init__(self, merge: Any) -> None:
        super().__init__()
        self._merge = merge

    def expand(self, blocks: beam.PCollection[Block]) -> beam.PCollection[bytes]:
        merged = blocks | "Bring together" >> GroupEveryBucket(1)
        return merged | "Merge" >> beam.Map(_merge_blocks, self._merge).with_output_types(bytes)


def _merge_blocks(element: tuple[int, Iterable[bytes]], merge: Any) -> bytes:
    merged: bytes = merge([block for block in element[1] if block])
    return merged
