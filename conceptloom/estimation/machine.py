"""The resources of this machine, and what this process has used of them (from Linux's /proc)."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from conceptloom.parallel import Pipelined, local_pool


def cores() -> int:
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory() -> int:
    """Returns the bytes of this machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def resident(process: int | str = "self") -> int:
    """Returns the resident bytes of a process, including shared pages; 0 if the system does not report them."""
    with suppress(OSError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def bytes_read() -> int:
    """Returns the bytes that this process has read from files so far; 0 if the system does not report them."""
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
