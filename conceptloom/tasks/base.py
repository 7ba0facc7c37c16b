"""The contract of a task: the work on one bucket of a stage, as a plain function of its blocks.

Tasks read and write shards and call the pure functions of the core. They do not depend on Beam, so that a worker
process of the local runner need not load it, and a test can call them directly.
"""

import json
import time
from collections.abc import Iterable, Iterator
from typing import ClassVar, NamedTuple, Protocol

from conceptloom.json_values import JsonObject
from conceptloom.ledger import Ledger
from conceptloom.spill import Spill, SpillWriter, held_content
from conceptloom.tables import compressing


class Output(NamedTuple):
    """One result of a task: the tag of its output, its bucket, its bytes."""

    tag: str
    bucket: int
    data: bytes


RECEIPTS = "receipts"
STATISTICS = "statistics.json"
"""The file in which stage split writes the statistics of its result, by split."""
SPENT = "spent"
"""The tag of the output with the CPU time of a task, which goes only into a counter."""


class Task(Protocol):
    """A frozen dataclass of settings and paths, pickled and sent to wherever the work is done.

    It may run twice for the same bucket, because runners retry: it writes whole files, the same each time.
    """

    outputs: ClassVar[tuple[str, ...]]

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields the results for one bucket. `side` is what the stage computed for all buckets, if it needs that."""


def timed(task: Task, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
    """Yields the results of a task, and last one tagged SPENT: the CPU milliseconds that they took in this thread.

    The time that the caller spends between two results is not counted.
    """
    results, spent = task.run(bucket, blocks, side), 0
    while True:
        begin = time.thread_time_ns()
        output = next(results, None)
        spent += time.thread_time_ns() - begin
        if output is None:
            break
        yield output
    yield Output(SPENT, bucket, str(spent // 1_000_000).encode())


def run_spilling(
    spill: Spill | None, task: Task, bucket: int, blocks: Iterable[bytes], side: bytes | None
) -> Iterator[Output]:
    """Yields what `timed` does; with a `spill` from blocks that wait there, and after writing the results there.

    Receipts, and what goes only into counters, are read by the stage itself and stay as they are.
    """
    if spill is None:
        yield from timed(task, bucket, blocks, side)
        return
    shared = None if side is None else held_content(spill, side)
    with compressing(spill.compression), spill.writer() as writer:
        results = [_waiting(one, task, writer) for one in timed(task, bucket, spill.blocks(blocks), shared)]
    yield from results


def _waiting(output: Output, task: Task, writer: SpillWriter) -> Output:
    sent = output.tag in task.outputs and output.tag != RECEIPTS
    return output._replace(data=writer.put(output.data)) if sent else output


def receipt(bucket: int, ledger: Ledger, files: Iterable[JsonObject] = (), **extra: object) -> Output:
    """Returns the output that reports to the stage: counts, files written, and any other values to be added up."""
    data = {"bucket": bucket, "ledger": ledger.to_json(), "files": list(files), **extra}
    return Output(RECEIPTS, 0, json.dumps(data, ensure_ascii=False, sort_keys=True).encode())


def sentences_in(data: bytes) -> tuple[int, int]:
    """Returns how many sentences were read according to a receipt, and how many were finished: kept or rejected."""
    total = Ledger.from_json(json.loads(data)["ledger"]).total()
    return total.read, total.kept + total.rejected.total()


def shard_name(kind: str, bucket: int) -> str:
    """Returns the file name of one shard of a stage's output."""
    return f"{kind}-{bucket:05d}.parquet"
