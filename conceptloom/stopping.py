"""Stopping on Ctrl-C or SIGTERM: a signal raises KeyboardInterrupt, and is remembered, whatever becomes of that.

Beam turns the exception of a running step into a RuntimeError, so that the type alone does not tell of a stop.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeAlias

STATUS = 130
"""The exit status of a program that was stopped: 128 and the number of SIGINT."""
STOPPING = (signal.SIGINT, signal.SIGTERM)
"""Ctrl-C, and what an orchestrator or a shutdown sends: both want remote jobs cancelled and locks released."""
Handler: TypeAlias = "Callable[[int, FrameType | None], Any] | int | signal.Handlers | None"
_asked = False


def asked() -> bool:
    """Returns whether the user has asked this process to stop."""
    return _asked


@contextmanager
def heeded() -> Iterator[None]:
    """Heeds Ctrl-C and SIGTERM in the block: the first raises KeyboardInterrupt in the main thread, the next ends the
    process.

    Does nothing in another thread, or for a signal that is ignored, as SIGINT is in a shell's background jobs.
    """
    global _asked
    heard = [number for number in STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _asked = False
    before = {number: signal.signal(number, _stop) for number in heard}
    try:
        yield
    finally:
        _asked = False
        _restore(before)


@contextmanager
def held_back() -> Iterator[None]:
    """Holds back what stops this process while the block runs; it takes effect when the block ends.

    For what must be known to be undone, such as the number of a job that is being submitted. Does nothing outside of
    the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[signal.Signals] = []

    def catch(number: int, _: FrameType | None) -> None:
        caught.append(signal.Signals(number))

    before = {number: signal.signal(number, catch) for number in STOPPING}
    try:
        yield
    finally:
        _restore(before)
    for stopping in caught:
        signal.raise_signal(stopping)


def _restore(handlers: Mapping[signal.Signals, Handler]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


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
