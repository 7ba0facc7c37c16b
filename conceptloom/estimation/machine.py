"""What this machine has, and what this process has used of it (Linux tells it in /proc)."""

import ctypes
import gc
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pyarrow as pa

from conceptloom.parallel import Pipelined, local_pool


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory() -> int:
    """The bytes of this machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def resident(process: int | str = "self") -> int:
    """The resident bytes of a process, pages that it shares with others included; 0 where the system does not tell."""
    with suppress(OSError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def release() -> None:
    """Gives memory that this process has but does not use back to the system, as far as its allocators can."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    with suppress(OSError, AttributeError):
        # glibc's; other C libraries have none.
        ctypes.CDLL(None).malloc_trim(0)


def bytes_read() -> int:
    """The bytes that this process has read from files so far; 0 where the system does not tell."""
    with suppress(OSError):
        return int(Path("/proc/self/io").read_text().split()[1])
    return 0


def idle_worker(tasks: Sequence[str]) -> tuple[int, float]:
    """Returns the resident bytes of a worker process of the local runner before its first work, and its CPU seconds.

    Starts one to measure it. `tasks` are the modules that it loads.
    """
    with local_pool(2):
        calls = Pipelined()
        found = [list(one) for one in calls.submit(_loaded, tasks)] + [list(one) for one in calls.drain()]
    return found[0][0]


def _loaded(tasks: Sequence[str]) -> Iterator[tuple[int, float]]:
    for name in tasks:
        import_module(name)
    yield resident(), time.process_time()
