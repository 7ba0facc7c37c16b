"""Progress from a runner's metrics, against real counters of a pipeline."""

import threading
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.metrics import Metrics
from apache_beam.runners.portability.fn_api_runner import FnApiRunner

from conceptloom import progress
from conceptloom.runners import following
from conceptloom.runners.following import followed, retold


def _finished(read: int, kept: int, digits: int) -> Any:
    """The result of a pipeline that counted so many."""

    def count(_: Any) -> None:
        for name, number in {"read": read, "kept": kept, "rejected_digits": digits}.items():
            Metrics.counter("ingest", name).inc(number)
        Metrics.counter("another", "read").inc(1_000)

    pipeline = beam.Pipeline(runner=FnApiRunner())
    pipeline | beam.Create([None]) | beam.Map(count)
    return pipeline.run()


class _Growing:
    """The metrics of a job that gets on between two looks; now and then it cannot be asked."""

    def __init__(self, *states: Any) -> None:
        self._states = list(states)
        self.asked = threading.Event()

    def metrics(self) -> Any:
        state = self._states.pop(0) if len(self._states) > 1 else self._states[0]
        if len(self._states) == 1:
            self.asked.set()
        if state is None:
            raise ConnectionError("not now")
        return state.metrics()


def test_the_difference_between_two_looks_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "SECONDS", 0.01)
    job = _Growing(_finished(10, 4, 1), None, _finished(25, 15, 3))
    told: list[tuple[int, int]] = []
    end = progress.listen(lambda read, done: told.append((read, done)))
    with followed(job, "ingest"):
        assert job.asked.wait(10)
    end()
    assert told[0] == (10, 5)
    assert (sum(read for read, _ in told), sum(done for _, done in told)) == (25, 18)


def _advance_and_fail() -> None:
    with retold():
        progress.advance(7, 2)
        progress.advance(3, 3)
        raise TimeoutError


def test_a_job_that_fails_takes_its_progress_back() -> None:
    told: list[int] = []
    end = progress.listen(lambda read, done: told.append(read))
    with retold():
        progress.advance(5, 1)
    with pytest.raises(TimeoutError):
        _advance_and_fail()
    end()
    assert told == [5, 7, 3, -10]
