"""Named back ends: one table for each kind, so that a configuration can name what it wants.

Entries come from this package, and from any installed package that declares them as entry points (docs/extending.md).
"""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import metadata
from typing import Any, Generic, TypeVar, cast

from conceptloom.errors import ConfigError

T = TypeVar("T")


class Registry(Generic[T]):
    """A table of named objects of one kind. A second object of the same name is refused.

    `group` is the entry-point group in which other packages declare entries, `entry` the class that these must have.
    The names of a group are read once, at the first question; the package behind a name is imported when the entry of
    that name is asked for, in every process anew.

    >>> colours = Registry[int]("colour")
    >>> colours.add("red", 1)
    1
    >>> colours["red"]
    1
    """

    def __init__(self, kind: str, group: str | None = None, entry: type[T] | None = None) -> None:
        self.kind = kind
        self._group = group
        self._entry = entry
        self._entries: dict[str, T] = {}
        self._declared: dict[str, metadata.EntryPoint] | None = None

    def add(self, name: str, entry: T) -> T:
        """Enters `entry` under `name`; raises ValueError when the name is taken."""
        if name in self._entries or name in (self._declared or ()):
            raise ValueError(f"{self.kind} {name!r} is registered already")
        self._entries[name] = entry
        return entry

    def register(self, name: str) -> Callable[[T], T]:
        """The decorator form of `add`."""
        return lambda entry: self.add(name, entry)

    def __getitem__(self, name: str) -> T:
        """The entry; raises ConfigError for an unknown name, and for a plug-in that cannot be used."""
        plugins = self._plugins()
        if name in plugins and name not in self._entries:
            self._entries[name] = self._load(plugins[name])
        if name not in self._entries:
            raise ConfigError(f"no {self.kind} is called {name!r}; there are: {', '.join(self)}")
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._plugins()

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._entries.keys() | self._plugins()))

    def items(self) -> Iterator[tuple[str, T]]:
        """The entries with their names, in the order of the names."""
        return ((name, self[name]) for name in self)

    def _plugins(self) -> dict[str, metadata.EntryPoint]:
        if self._declared is None:
            declared: dict[str, metadata.EntryPoint] = {}
            for point in _entry_points(self._group) if self._group else ():
                if point.name in self._entries or point.name in declared:
                    raise ConfigError(
                        f"{_origin(point)} declares the {self.kind} {point.name!r}, which is registered already: "
                        "rename its entry point, or uninstall it"
                    )
                declared[point.name] = point
            self._declared = declared
        return self._declared

    def _load(self, point: metadata.EntryPoint) -> T:
        try:
            entry = point.load()
        except Exception as error:  # whatever the code of another package raises when it is imported
            raise self._broken(point, f"{type(error).__name__}: {error}") from error
        if self._entry is not None and not isinstance(entry, self._entry):
            raise self._broken(point, f"{point.value} is no {self._entry.__name__}")
        own = getattr(entry, "name", point.name)
        if own != point.name:
            raise self._broken(point, f"{point.value} calls itself {own!r}")
        return cast(T, entry)

    def _broken(self, point: metadata.EntryPoint, why: str) -> ConfigError:
        return ConfigError(f"the {self.kind} {point.name!r} of {_origin(point)} cannot be used: {why}")


@cache
def _installed() -> Any:
    # Reads a file of every installed distribution: 25 ms for 200 of them, whatever the group. The type is that of
    # EntryPoints, or in Python 3.11 and before of a table of them by group; both can select.
    return metadata.entry_points()


def _entry_points(group: str) -> list[metadata.EntryPoint]:
    return sorted(_installed().select(group=group), key=lambda point: (point.name, point.value))


def _origin(point: metadata.EntryPoint) -> str:
    found = point.dist
    return "an unknown distribution" if found is None else f"the installed package {found.name} {found.version}"
