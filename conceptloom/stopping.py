"""Stopping on Ctrl-C: one signal raises KeyboardInterrupt, and is remembered, whatever becomes of the exception.

Beam turns the exception of a running step into a RuntimeError, so that its type alone does not tell of a stop.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STATUS = 130
"""The exit status of a program that was stopped: 128 and the number of SIGINT."""
_asked = False


def asked() -> bool:
    """Returns whether the user has asked this process to stop."""
    return _asked


@contextmanager
def heeded() -> Iterator[None]:
    """Heeds Ctrl-C in the block: the first raises KeyboardInterrupt in the main thread, the next ends the process.

    Does nothing in another thread, or where SIGINT is ignored, as in a shell's background jobs.
    """
    global _asked
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is signal.SIG_IGN:
        yield
        return
    _asked = False
    signal.signal(signal.SIGINT, _stop)
    try:
        yield
    finally:
        _asked = False
        signal.signal(signal.SIGINT, before)


def _stop(number: int, frame: FrameType | None) -> None:
    global _asked
    if _asked:
        os._exit(STATUS)
    _asked = True
    raise KeyboardInterrupt


@contextmanager
def deaf_children() -> Iterator[None]:
    """Processes started in the block do not get SIGINT: a terminal sends it to all, and their parent ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_children() -> None:
    """Ends the processes started by multiprocessing. What they write is replaced whole or not at all."""
    import multiprocessing  # not at the top: the command line imports this module before it heeds Ctrl-C

    for child in multiprocessing.active_children():
        child.terminate()
