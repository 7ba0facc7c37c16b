"""Signals that stop a build."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STOPPING = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def held_back() -> Iterator[None]:
    """Holds back SIGINT and SIGTERM while the block runs; they take effect when it ends.

    For what must be known to be undone, such as the number of a job that is being submitted. Signals reach only the
    main thread of a process; in another one this does nothing.
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
        for number, handler in before.items():
            signal.signal(number, handler)
    for stopping in caught:
        signal.raise_signal(stopping)
