"""Named back ends: one table for each kind, so that a configuration can name what it wants."""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from conceptloom.errors import ConfigError

T = TypeVar("T")


class Registry(Generic[T]):
    """A table of named objects of one kind. A second object of the same name is refused.

    >>> colours = Registry[int]("colour")
    >>> colours.add("red", 1)
    1
    >>> colours["red"]
    1
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, T] = {}

    def add(self, name: str, entry: T) -> T:
        """Enters `entry` under `name`; raises ValueError when the name is taken."""
        if name in self._entries:
            raise ValueError(f"{self.kind} {name!r} is registered already")
        self._entries[name] = entry
        return entry

    def register(self, name: str) -> Callable[[T], T]:
        """The decorator form of `add`."""
        return lambda entry: self.add(name, entry)

    def __getitem__(self, name: str) -> T:
        if name not in self._entries:
            raise ConfigError(f"no {self.kind} is called {name!r}; there are: {', '.join(self)}")
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._entries))

    def items(self) -> Iterator[tuple[str, T]]:
        """The entries with their names, in the order of the names."""
        return ((name, self._entries[name]) for name in self)
