"""A pool of local processes for the heavy block functions of a build on one machine.

Only the local runner opens a pool. Elsewhere the runner provides the parallelism, and tasks run inline.
"""

import gc
import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, TypeAlias, TypeVar

import pyarrow as pa
from threadpoolctl import threadpool_limits

from conceptloom import storage
from conceptloom.errors import BuildError
from conceptloom.memory import release
from conceptloom.stopping import deaf_children, end_children

T = TypeVar("T")
Results: TypeAlias = list[Any]
"""What one call yielded; the calls of a pool may yield different things."""

IDLE = 0.2
"""Seconds after its last call from which a worker releases memory."""

_pool: ProcessPoolExecutor | None = None
_workers = 1


def single_threaded() -> None:
    """Sets the environment so that BLAS and Arrow use one thread, since a worker has one core.

    Takes effect in a process that imports numpy afterwards, such as a worker started from here.
    """
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"


@cache
def one_thread() -> None:
    """Limits BLAS and Arrow to one thread in a process that has already imported them; cached, as it takes 10 ms."""
    pa.set_cpu_count(1)
    threadpool_limits(limits=1, user_api="blas")


def _nothing() -> None:
    pass


class _Idle:
    """Releases the unused memory of a worker that waits for its next call for a while; a busy one uses it again."""

    def __init__(self) -> None:
        self._timer = threading.Timer(IDLE, release)

    def __enter__(self) -> None:
        self._timer.cancel()

    def __exit__(self, *_: object) -> None:
        self._timer = threading.Timer(IDLE, release)
        self._timer.daemon = True
        self._timer.start()


_idle = _Idle()


def _start_worker(file_options: tuple[str, ...] | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    storage.use_options(file_options)
    # Blocks are lists of many small objects without cycles; searching them for cycles takes a sixth of the time.
    gc.set_threshold(1_000_000, 50, 100)
    pa.set_io_thread_count(1)
    one_thread()
    threading.Thread(target=_die_with_parent, daemon=True).start()


def _die_with_parent() -> None:
    # A parent that is killed cannot tell its workers, which would then wait for work forever.
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


@contextmanager
def local_pool(workers: int, warm_up: Callable[[], object] | None = None) -> Iterator[None]:
    """Opens a pool of `workers` processes (none for 1) for every `Pipelined` of this process.

    `warm_up` is called in each worker at once, before the first call is submitted: it imports what the calls need. It
    is a function of a module, since it is pickled by name.
    """
    global _pool, _workers
    single_threaded()
    if workers < 2:
        yield
        return
    # `spawn`: forking a process with running threads (gRPC, Arrow) can deadlock.
    context = multiprocessing.get_context("spawn")
    start = partial(_start_worker, storage.options())
    with ProcessPoolExecutor(workers, mp_context=context, initializer=start) as pool:
        _pool, _workers = pool, workers
        # Started now, the workers import what they need while this process is still importing Beam.
        with deaf_children():
            for _ in range(workers):
                pool.submit(warm_up or _nothing)
        try:
            yield
        except KeyboardInterrupt:
            end_children()
            raise
        finally:
            _pool, _workers = None, 1
            pool.shutdown(cancel_futures=True)


class Pipelined:
    """Runs calls in the open pool, a bounded number ahead, and yields their results in the order of the calls.

    A call returns an iterator. Without a pool it runs lazily in this process.
    """

    def __init__(self) -> None:
        self._waiting: deque[Future[Results]] = deque()

    def submit(self, function: Callable[..., Iterator[T]], *arguments: object) -> Iterator[Iterable[T]]:
        """Starts a call; yields the results of finished calls, and of those that must finish before more may wait."""
        if _pool is None:
            yield function(*arguments)
            return
        with _naming_the_cause():
            self._waiting.append(_pool.submit(_collect, pickle.dumps((function, arguments))))
        while len(self._waiting) > _workers + 1 or (self._waiting and self._waiting[0].done()):
            yield self._next()

    def drain(self) -> Iterator[Results]:
        """Waits for the calls that are still running; yields their results."""
        while self._waiting:
            yield self._next()

    def _next(self) -> Results:
        with _naming_the_cause():
            return self._waiting.popleft().result()


@contextmanager
def _naming_the_cause() -> Iterator[None]:
    try:
        yield
    except BrokenProcessPool:
        raise BuildError("a worker process was killed, most likely out of memory: use fewer --workers") from None


def _collect(call: bytes) -> Results:
    # Unpickled here: where the pool does it, a failure kills the worker, which looks like one out of memory.
    try:
        function, arguments = pickle.loads(call)
    except Exception as error:
        raise BuildError(
            f"a worker process cannot load a step of the build ({type(error).__name__}: {error}): what is not "
            "installed must be in a module on PYTHONPATH; or use --workers 1"
        ) from None
    with _idle:
        return list(function(*arguments))
