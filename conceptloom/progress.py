"""What a running build tells about itself: sentences done, and notes, in the process that drives the runner."""

from collections.abc import Callable

Listener = Callable[[int, int], None]
"""Called with the sentences that were read, and those that were finished (kept or left out), since the last call."""
_listeners: list[Listener] = []
_readers: list[Callable[[str], None]] = []


def listen(listener: Listener) -> Callable[[], None]:
    """Calls `listener` with all progress from now on; answers the function that ends it."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


def advance(read: int, done: int) -> None:
    """Tells the listeners that so many more sentences were read, and so many more are finished."""
    for listener in _listeners:
        listener(read, done)


def read_notes(reader: Callable[[str], None]) -> Callable[[], None]:
    """Calls `reader` with every note from now on; answers the function that ends it."""
    _readers.append(reader)
    return lambda: _readers.remove(reader)


def note(text: str) -> None:
    """Tells the readers something that a user should know while the build goes on."""
    for reader in _readers:
        reader(text)
