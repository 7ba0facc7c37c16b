"""Progress of a job that runs elsewhere, read from the runner's metrics while it runs."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from conceptloom import progress
from conceptloom.runners.counters import counters

SECONDS = 2.0


@contextmanager
def followed(result: Any, stage: str, seconds: float | None = None) -> Iterator[None]:
    """Tells the progress of `result`, the running job of a stage, every `seconds` (SECONDS) until the block ends.

    A runner that shows its metrics only when a job has ended (Flink) has nothing to tell before.
    """
    ended, follower = threading.Event(), _Follower(result, stage)
    thread = threading.Thread(target=follower.follow, args=(ended, seconds or SECONDS), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    follower.look()


class _Follower:
    """Remembers what it has told of a job."""

    def __init__(self, result: Any, stage: str) -> None:
        self._result = result
        self._stage = stage
        self._told = (0, 0)

    def follow(self, ended: threading.Event, seconds: float) -> None:
        while not ended.wait(seconds):
            self.look()

    def look(self) -> None:
        # A runner that does not answer now may do so the next time; its job's end is told by another way.
        with suppress(Exception):
            now = sentences(counters(self._result, self._stage))
            progress.advance(now[0] - self._told[0], now[1] - self._told[1])
            self._told = now


def sentences(counted: dict[str, int]) -> tuple[int, int]:
    """Returns how many sentences a stage's counters say were read, and how many were finished: kept or left out.

    >>> sentences({"kept": 7, "read": 12, "rejected_digits": 2, "rejected_length": 1, "shuffled_bytes_raw": 90})
    (12, 10)
    """
    done = sum(count for name, count in counted.items() if name == "kept" or name.startswith("rejected_"))
    return counted.get("read", 0), done


@contextmanager
def retold() -> Iterator[None]:
    """Takes back the progress that was told in the block when the block fails: its work will be done again."""
    told: list[tuple[int, int]] = []
    end = progress.listen(lambda read, done: told.append((read, done)))
    try:
        yield
    except BaseException:
        end()
        progress.advance(-sum(read for read, _ in told), -sum(done for _, done in told))
        raise
    end()
