"""The building blocks of all pipelines: tasks that process one bucket each, and blocks of Arrow bytes between them."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import apache_beam as beam
from apache_beam import pvalue
from apache_beam.metrics import Metrics
from apache_beam.transforms.window import GlobalWindows

from conceptloom import progress, spill
from conceptloom.memory import release
from conceptloom.parallel import Pipelined, one_thread
from conceptloom.parts import cut, joined
from conceptloom.tables import Block
from conceptloom.tasks.base import RECEIPTS, SPENT, Output, Task, run_spilling, sentences_in

TASKS = "tasks"
"""The namespace of the counters of tasks.

`shuffled_bytes_OUTPUT` and `shuffled_blocks_OUTPUT` count the output of tasks, on any runner; `cpu_ms_TASK` is CPU
time.
"""


class RunTask(beam.DoFn):
    """Runs a task on (bucket, blocks) elements; emits its results as (bucket, bytes) to the tagged outputs.

    With an open local pool, calls run in the pool, a bounded number ahead; otherwise they run inline. `share` is the
    share of the stage's work that a call is, if its receipt does not tell of sentences.
    """

    def __init__(self, task: Task, share: float = 0.0) -> None:
        self._task = task
        self._share = share

    def setup(self) -> None:
        one_thread()

    def start_bundle(self) -> None:
        self._calls = Pipelined()
        self._side = Side()

    def process(self, element: tuple[int, Iterable[bytes]], side: Iterable[bytes] | None = None) -> Iterator[object]:
        bucket, blocks = element
        full = [block for block in blocks if block]
        shared = self._side.whole(side)
        for outputs in self._calls.submit(run_spilling, spill.opened(), self._task, bucket, full, shared):
            yield from tagged(self._task, outputs)
            progress.work(self._share)

    def finish_bundle(self) -> Iterator[object]:
        for outputs in self._calls.drain():
            for one in tagged(self._task, outputs):
                yield pvalue.TaggedOutput(one.tag, GlobalWindows.windowed_value(one.value))
            progress.work(self._share)


class Side:
    """Joins the parts of a side input, once in a bundle: all of its elements get the same."""

    def __init__(self) -> None:
        self._whole: bytes | None = None

    def whole(self, parts: Iterable[bytes] | None) -> bytes | None:
        """Returns the block, or several blocks one after the other, sorted; None if there is no side input.

        If blocks wait in files, so does the result: every call would get a copy of it otherwise.
        """
        if self._whole is None and parts is not None:
            self._whole = spill.waiting(b"".join(sorted(map(spill.whole, joined(parts)))))
        return self._whole


def tagged(task: object, outputs: Iterable[Output]) -> Iterator[pvalue.TaggedOutput]:
    """Yields the outputs of a task as Beam wants them, counted under the name of the task's class."""
    for output in outputs:
        if output.tag == SPENT:
            Metrics.counter(TASKS, f"cpu_ms_{type(task).__name__}").inc(int(output.data))
            continue
        if output.tag == RECEIPTS:
            # Reported as each call ends: later steps may run only when all calls have ended.
            progress.advance(*sentences_in(output.data))
        Metrics.counter(TASKS, f"shuffled_bytes_{output.tag}").inc(spill.size(output.data))
        Metrics.counter(TASKS, f"shuffled_blocks_{output.tag}").inc()
        yield pvalue.TaggedOutput(output.tag, (output.bucket, output.data))


class MapBlocks(beam.PTransform):
    """Runs `task` on each (bucket, blocks) element; produces a PCollection of (bucket, bytes) for each output.

    `side` is a PCollection of parts of blocks, see Parts and Single: the side input of every call gets these blocks one
    after the other, sorted. `share` is as in RunTask.
    """

    def __init__(self, task: Task, side: beam.PCollection[bytes] | None = None, share: float = 0.0) -> None:
        super().__init__()
        self._task = task
        self._side = side
        self._share = share

    # Beam reads this signature as type hints, and knows none for several outputs (a DoOutputsTuple).
    def expand(self, blocks: beam.PCollection[tuple[int, Iterable[bytes]]]) -> Any:
        sides = {} if self._side is None else {"side": pvalue.AsIter(self._side)}
        run = beam.ParDo(RunTask(self._task, self._share), **sides).with_output_types(tuple[int, bytes])
        return blocks | type(self._task).__name__ >> run.with_outputs(*self._task.outputs)


class GroupBlocks(beam.PTransform):
    """Groups blocks by bucket, in no particular order: the one place where anything is shuffled.

    Larger blocks cross in parts (see conceptloom.parts), counted in `cut_blocks`: no engine has to sort a record that
    is larger than PART_BYTES. On the local runner blocks wait in files (see conceptloom.spill), and what crosses is
    references.
    """

    def expand(self, blocks: beam.PCollection[Block]) -> beam.PCollection[tuple[int, Iterable[bytes]]]:
        pieces = blocks | "Cut" >> beam.FlatMap(_pieces).with_output_types(tuple[int, bytes])
        grouped = pieces | "Group by bucket" >> beam.GroupByKey()
        return grouped | "Join" >> beam.MapTuple(_join).with_output_types(tuple[int, Iterable[bytes]])


def _pieces(block: Block) -> Iterator[Block]:
    bucket, data = block
    pieces = list(cut(data))
    if len(pieces) > 1:
        Metrics.counter(TASKS, "cut_blocks").inc()
    return ((bucket, piece) for piece in pieces)


def _join(bucket: int, pieces: Iterable[bytes]) -> tuple[int, Iterable[bytes]]:
    return bucket, joined(pieces)


class MergeInTree(beam.PTransform):
    """Merges blocks in that many levels of a tree (see conceptloom.tasks.merging), all for bucket 0 after the last.

    `task` merges the blocks of a bucket into its one output, for the bucket `above` it.
    """

    def __init__(self, task: Task, levels: int) -> None:
        super().__init__()
        self._task = task
        self._levels = levels

    def expand(self, blocks: beam.PCollection[Block]) -> beam.PCollection[Block]:
        for level in range(1, self._levels + 1):
            grouped = blocks | f"To level {level}" >> GroupBlocks()
            blocks = (grouped | f"Level {level}" >> MapBlocks(self._task))[self._task.outputs[0]]
        return blocks


class GroupEveryBucket(beam.PTransform):
    """Like GroupBlocks, with an element for each of `count` buckets: a bucket without blocks gets an empty shard."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count

    def expand(self, blocks: beam.PCollection[Block]) -> beam.PCollection[tuple[int, Iterable[bytes]]]:
        every = blocks.pipeline | "Every bucket" >> beam.Create(_empty_blocks(self._count), reshuffle=False)
        return (blocks, every) | "With every bucket" >> beam.Flatten() | "Group" >> GroupBlocks()


class EachBucket(beam.PTransform):
    """Creates one element without blocks for each bucket from `first` to below `count`.

    Such elements are for tasks that read their shards themselves.

    The elements pass through a grouping, so that a runner with several workers spreads them. A step whose side input
    is derived from the buckets must start from an EachBucket of its own: the FnApiRunner cannot run a graph in which a
    PCollection is both the main input of a step and a source of its side input.
    """

    def __init__(self, count: int, first: int = 0) -> None:
        super().__init__()
        self._blocks = _empty_blocks(count)[first:]

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection[tuple[int, Iterable[bytes]]]:
        return begin | "Buckets" >> beam.Create(self._blocks, reshuffle=False) | "Spread" >> GroupBlocks()


def _empty_blocks(count: int) -> list[Block]:
    return [(bucket, b"") for bucket in range(count)]


class Parts(beam.PTransform):
    """Takes blocks of any bucket for use as a side input, in parts of at most PART_BYTES each."""

    def expand(self, blocks: beam.PCollection[Block]) -> beam.PCollection[bytes]:
        return blocks | "Cut" >> beam.FlatMap(_side_pieces).with_output_types(bytes)


def _side_pieces(block: Block) -> Iterator[bytes]:
    return cut(block[1])


class Single(beam.PTransform):
    """Merges all blocks of bucket 0 into one with `merge`, for use as a side input, in parts as by Parts.

    An empty PCollection produces merge([]).
    """

    def __init__(self, merge: Callable[[list[bytes]], bytes]) -> None:
        super().__init__()
        self._merge = merge

    def expand(self, blocks: beam.PCollection[Block]) -> beam.PCollection[bytes]:
        together = blocks | "Bring together" >> GroupEveryBucket(1)
        merged = together | "Merge" >> beam.Map(_merge_blocks, self._merge).with_output_types(tuple[int, bytes])
        return merged | "Parts" >> Parts()


def _merge_blocks(element: tuple[int, Iterable[bytes]], merge: Callable[[list[bytes]], bytes]) -> Block:
    merged = merge([spill.whole(block) for block in element[1] if block])
    # Of all steps in the runner's own process this one takes the most memory, and what follows runs beside it.
    release()
    return element[0], merged
