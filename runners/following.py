"""The progress of a remote job, read from the runner's metrics while it runs."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from apache_beam.runners.runner import PipelineResult

from conceptloom import progress
from conceptloom.runners.counters import counters

SECONDS = 2.0


@contextmanager
def followed(result: PipelineResult, stage: str, seconds: float | None = None) -> Iterator[None]:
    """Reports the progress of `result`, the running job of a stage, every `seconds` until the block ends.

    The default is SECONDS. A runner that has metrics only after a job has ended (Flink) reports nothing before.
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
    """Reports the progress of a job since its last report."""

    def __init__(self, result: PipelineResult, stage: str) -> None:
        self._result = result
        self._stage = stage
        self._told = (0, 0)

    def follow(self, ended: threading.Event, seconds: float) -> None:
        while not ended.wait(seconds):
            self.look()

    def look(self) -> None:
        # A runner that does not respond now may do so next time; the end of the job is detected elsewhere.
        with suppress(Exception):
            now = sentences(counters(self._result, self._stage))
            progress.advance(now[0] - self._told[0], now[1] - self._told[1])
            self._told = now


def sentences(counted: dict[str, int]) -> tuple[int, int]:
    """Returns the numbers of sentences read and finished (kept or rejected), from a stage's counters.

    >>> sentences({"kept": 7, "read": 12, "rejected_digits": 2, "rejected_length": 1, "shuffled_bytes_raw": 90})
    (12, 10)
    """
    done = sum(count for name, count in counted.items() if name == "kept" or name.startswith("rejected_"))
    return counted.get("read", 0), done


@contextmanager
def retold() -> Iterator[None]:
    """Reverts the progress reported in the block if the block fails, because its work will be repeated."""
    told: list[tuple[int, int]] = []
    end = progress.listen(lambda read, done: told.append((read, done)))
    try:
        yield
    except BaseException:
        end()
        progress.advance(-sum(read for read, _ in told), -sum(done for _, done in told))
        raise
    end()
