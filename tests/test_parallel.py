"""The pool of local processes: order, bound, errors, and a worker that is killed.

What is submitted must be importable in a worker: functions of the standard library that answer iterables.
"""

import heapq
import os
import sys
from collections.abc import Iterator
from itertools import starmap
from pathlib import Path
from types import ModuleType

import pytest

from conceptloom.errors import BuildError
from conceptloom.parallel import Pipelined, local_pool

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@pytest.fixture(scope="module", autouse=True)
def _restored() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in THREADS:
            patch.setenv(name, os.environ.get(name, ""))
        yield


@pytest.fixture(scope="class")
def pool() -> Iterator[None]:
    with local_pool(2):
        yield


def run_all(calls: list[tuple]) -> list[list]:  # type: ignore[type-arg]
    pipelined = Pipelined()
    done = [list(result) for call in calls for result in pipelined.submit(*call)]
    return done + [list(result) for result in pipelined.drain()]


def test_without_a_pool_calls_run_here_when_they_are_asked_for() -> None:
    asked = []
    pipelined = Pipelined()
    (result,) = pipelined.submit(map, asked.append, [1, 2])
    assert asked == []
    assert list(result) == [None, None]
    assert asked == [1, 2]
    assert list(pipelined.drain()) == []


def test_what_a_worker_cannot_load_is_named(pool: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of this process alone, as a notebook's own: it was taken for a worker out of memory."""
    module = ModuleType("only_here")
    exec("def step():\n    return [1]", module.__dict__)
    monkeypatch.setitem(sys.modules, "only_here", module)
    with pytest.raises(BuildError, match="cannot load a step of the build .ModuleNotFoundError: .*only_here"):
        run_all([(module.step,)])
    assert run_all([(range, 2)]) == [[0, 1]]


def test_one_worker_is_this_process() -> None:
    with local_pool(1):
        assert run_all([(starmap, os.getpid, [()])]) == [[os.getpid()]]


@pytest.mark.slow
def test_workers_warm_up_before_the_first_call(tmp_path: Path) -> None:
    warmed = tmp_path / "warmed"
    with local_pool(2, warmed.touch):
        assert run_all([(range, 3)]) == [[0, 1, 2]]
    assert warmed.exists()


def test_nothing_submitted_nothing_drained() -> None:
    assert run_all([]) == []


@pytest.mark.usefixtures("pool")
class TestOpenPool:
    def test_results_come_in_the_order_of_the_calls(self) -> None:
        """The first call takes far longer than those behind it."""
        sizes = [1_500_000, *range(1, 20)]
        assert run_all([(heapq.nlargest, 1, range(size)) for size in sizes]) == [[size - 1] for size in sizes]

    def test_calls_run_in_workers_of_one_thread(self) -> None:
        pids = {pid for (pid,) in run_all([(starmap, os.getpid, [()])] * 20)}
        assert os.getpid() not in pids
        assert len(pids) <= 2
        assert run_all([(starmap, os.getenv, [(name,) for name in THREADS])]) == [["1", "1", "1"]]

    def test_no_more_calls_wait_than_workers_and_one(self) -> None:
        pipelined = Pipelined()
        done = 0
        for number in range(1, 12):
            done += len(list(pipelined.submit(heapq.nlargest, 1, range(1000 * number))))
            assert number - done <= 3
        assert done + len(list(pipelined.drain())) == 11

    def test_the_error_of_a_call_is_raised_here(self) -> None:
        with pytest.raises(ValueError, match="'가'"):
            run_all([(starmap, int, [("가",)])])
        assert run_all([(range, 3)]) == [[0, 1, 2]]


def test_a_killed_worker_is_an_error_with_a_cure() -> None:
    with local_pool(2):
        with pytest.raises(BuildError, match="memory.*--workers"):
            run_all([(os._exit, 9)])
        # The pool is broken from now on: a call that comes later says the same.
        with pytest.raises(BuildError, match="memory.*--workers"):
            run_all([(range, 3)])
    assert run_all([(range, 3)]) == [[0, 1, 2]]
