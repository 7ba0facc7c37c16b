"""The names of systems: how a file of predictions is called, and which systems an option means."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import chain, count

from conceptloom.errors import ConfigError

ENDINGS = ("csv", "json", "jsonl", "ndjson", "out", "pred", "text", "tsv", "txt")
"""Endings of files that are no part of a system's name; what follows another dot is, as in t5-v1.1."""


def system_names(paths: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    """A name for each file: that of the file without a known ending (see ENDINGS), unlike all others.

    A name that is `taken` or that two files have is replaced by the path; a path that is given again gets a number.

    >>> system_names(["a/t5-v1.1-large.txt", "b/x.jsonl.gz", "c/x.txt", "c/x.txt"])
    ['t5-v1.1-large', 'b/x.jsonl.gz', 'c/x.txt', 'c/x.txt (2)']
    """
    short = [_without_ending(path.rstrip("/").rpartition("/")[2]) or path for path in paths]
    names = [name if [*short, *taken].count(name) == 1 else path for name, path in zip(short, paths)]
    used = [*taken]
    for name in names:
        numbered = (f"{name} ({number})" for number in count(2))
        used.append(next(one for one in chain([name], numbered) if one not in used))
    return used[len(taken) :]


def _without_ending(name: str) -> str:
    plain = name.removesuffix(".gz")
    stem, dot, ending = plain.rpartition(".")
    return stem if dot and ending.lower() in ENDINGS else plain


def named_systems(patterns: str, names: Sequence[str], option: str) -> list[str]:
    """Returns the names that SYSTEM,SYSTEM,… means, where a system may be a pattern, such as mt5-*.

    Raises ConfigError, which begins with `option`, for a name or pattern that no system has.
    """
    wanted = [one.strip() for one in patterns.split(",") if one.strip()]
    for pattern in wanted:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise ConfigError(f"{option}: no system is called {pattern!r}; there are: {', '.join(names)}")
    return [name for name in names if any(fnmatchcase(name, pattern) for pattern in wanted)]


def reference_paths(given: Sequence[str], names: Sequence[str], references: str) -> list[str]:
    """Returns the path of the references of each system: as `given` (SYSTEM,SYSTEM,…=PATH), otherwise `references`.

    Raises ConfigError for another form, for a name that no system has, and for a system with two paths.
    """
    paths = dict[str, str]()
    for one in given:
        systems, _, path = one.partition("=")
        if not systems.strip() or not path:
            raise ConfigError(f"--against takes SYSTEM,SYSTEM,…=PATH, not {one!r}")
        for name in named_systems(systems, names, f"--against {one}"):
            if paths.setdefault(name, path) != path:
                raise ConfigError(f"--against: {name} has two references, {paths[name]} and {path}; give one")
    return [paths.get(name, references) for name in names]
