"""Progress of a running build: sentences done, and notes, in the process that drives the runner."""

from collections.abc import Callable
from typing import TypeVar

Listener = Callable[[int, int], None]
"""Called with the numbers of sentences read, and finished (kept or rejected), since the last call."""
T = TypeVar("T")
_listeners: list[Listener] = []
_watchers: list[Callable[[float], None]] = []
_readers: list[Callable[[str], None]] = []


def listen(listener: Listener) -> Callable[[], None]:
    """Calls `listener` with all progress from now on; returns a function that stops this."""
    return _added(_listeners, listener)


def advance(read: int, done: int) -> None:
    """Tells the listeners how many more sentences were read, and how many more are finished."""
    for listener in _listeners:
        listener(read, done)


def watch(watcher: Callable[[float], None]) -> Callable[[], None]:
    """Calls `watcher` with each share of work from now on; returns a function that stops this."""
    return _added(_watchers, watcher)


def work(share: float) -> None:
    """Tells the watchers of work that no number of sentences tells, as a share of all work of the stage (0 to 1)."""
    for watcher in _watchers:
        watcher(share)


def read_notes(reader: Callable[[str], None]) -> Callable[[], None]:
    """Calls `reader` with every note from now on; returns a function that stops this."""
    return _added(_readers, reader)


def note(text: str) -> None:
    """Passes the readers a note that a user should see while the build is running."""
    for reader in _readers:
        reader(text)


def _added(those: list[T], one: T) -> Callable[[], None]:
    those.append(one)
    return lambda: those.remove(one)
