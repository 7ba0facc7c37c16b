"""What a running build tells about itself: sentences done, seen in the process that drives the runner."""

from collections.abc import Callable

Listener = Callable[[int], None]
_listeners: list[Listener] = []


def listen(listener: Listener) -> Callable[[], None]:
    """Calls `listener` with each number of sentences that was finished; answers the function that ends it."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


def advance(sentences: int) -> None:
    """Tells the listeners that so many more sentences are done."""
    for listener in _listeners:
        listener(sentences)
