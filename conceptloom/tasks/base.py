"""What a task is: the work on one bucket of a stage, as a plain function of its blocks.

Tasks read and write shards and call the pure functions of the core; they know nothing of Beam, so that a worker process
of the local runner need not load it, and a test can call them directly.
"""

import json
import time
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, NamedTuple, Protocol

from conceptloom.ledger import Ledger


class Output(NamedTuple):
    """One result of a task: which output it belongs to, its bucket, its bytes."""

    tag: str
    bucket: int
    data: bytes


RECEIPTS = "receipts"
STATISTICS = "statistics.json"
"""The file in which a stage split leaves the statistics of what came out, by split."""
SPENT = "spent"
"""The tag of the output that tells how much CPU time a task took: it goes nowhere but into a counter."""


class Task(Protocol):
    """A frozen dataclass of settings and paths; pickled to wherever the work is done.

    It may run twice for the same bucket (a runner retries), so what it writes is the same each time and replaces whole
    files.
    """

    outputs: ClassVar[tuple[str, ...]]

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """The results for one bucket. `side` is what the stage computed before for all buckets, where it needs that."""


def timed(task: Task, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
    """The results of a task, and last one tagged SPENT: the CPU milliseconds of this thread that they took.

    What whoever asks does between two results is not counted.
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


def receipt(bucket: int, ledger: Ledger, files: Iterable[dict[str, Any]] = (), **extra: Any) -> Output:
    """The output that tells the stage what was read and written: counts, files, and anything else that is summed up."""
    data = {"bucket": bucket, "ledger": ledger.to_json(), "files": list(files), **extra}
    return Output(RECEIPTS, 0, json.dumps(data, ensure_ascii=False, sort_keys=True).encode())


def sentences_in(data: bytes) -> tuple[int, int]:
    """How many sentences a receipt says were read, and how many were finished: kept or left out."""
    counts = Ledger.from_json(json.loads(data)["ledger"]).sources.values()
    return sum(one.read for one in counts), sum(one.kept + one.rejected.total() for one in counts)


def shard_name(kind: str, bucket: int) -> str:
    """The file name of one shard of a stage's output."""
    return f"{kind}-{bucket:05d}.parquet"
