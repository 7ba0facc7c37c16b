"""The name of the current build: a symbolic link beside the builds or, in an object store, an object with its path."""

import os
from collections.abc import Iterable

from conceptloom import storage
from conceptloom.errors import OutputError

NAME = "current"
"""The usual name."""

LONGEST = 4096
"""The most bytes that such an object may hold: it contains the path of a build, and nothing else."""


def current_build(path: str) -> str | None:
    """Returns the build that the name `path` points at, or None if nothing is there yet.

    Raises OutputError if something else is at `path`, or if the build no longer exists.
    """
    build = _named_remote(path) if storage.is_remote(path) else _named_local(path)
    if build is not None and not storage.list_files(build):
        raise OutputError(f"{path} points at {build}, which does not exist: delete {path}, or point it at a build")
    return build


def build_at(path: str) -> str:
    """Returns the build at a path: the path itself, or what it points at if it is the name of a current build.

    Raises OutputError if it points at a build that no longer exists.
    """
    name = path.rstrip("/")
    is_name = storage.exists(name) if storage.is_remote(name) else os.path.islink(name)
    return (current_build(name) or path) if is_name else path


def is_current(build: str) -> bool:
    """Returns whether the name `current` beside a build points at it."""
    try:
        named = current_build(beside(build))
    except OutputError:
        return False
    return named == resolved(build)


def beside(build: str) -> str:
    """Returns the usual name of the current build in the folder of a build."""
    found = resolved(build)
    return storage.join(found.rpartition("/")[0] if storage.is_remote(found) else os.path.dirname(found), NAME)


def resolved(build: str) -> str:
    """Returns one spelling for each build; a name of the current build is resolved to the build."""
    return build.rstrip("/") if storage.is_remote(build) else os.path.realpath(build)


def names_in(directory: str, files: Iterable[str]) -> dict[str, list[str]]:
    """Returns the builds that files of a directory are names of, as `current` is one, each with its names.

    In an object store every small object is read. Whatever names no build is left out.
    """
    found: dict[str, list[str]] = {}
    for path in files:
        build = _pointed_at(path)
        if build is not None:
            found.setdefault(build, []).append(path.removeprefix(storage.join(directory, "")))
    return found


def _pointed_at(path: str) -> str | None:
    try:
        return _named_remote(path) if storage.is_remote(path) else _named_local(path)
    except OutputError:
        return None


def switch(path: str, build: str) -> None:
    """Makes `build` the current one, atomically: `path` names a whole build at every moment.

    Raises OutputError if `path` cannot be written.
    """
    if storage.is_remote(path):
        storage.write_bytes(path, f"{build}\n".encode())
        return
    # Relative, since the folder of builds may be moved or mounted elsewhere.
    target = os.path.relpath(os.path.realpath(build), os.path.realpath(os.path.dirname(path) or "."))
    with storage.atomic_path(path) as temporary:
        os.symlink(target, temporary)


def _named_local(path: str) -> str | None:
    if os.path.islink(path):
        return os.path.realpath(path)
    if os.path.exists(path):
        raise _other(path, "a directory" if os.path.isdir(path) else "a file")
    return None


def _named_remote(path: str) -> str | None:
    if not storage.exists(path):
        if storage.list_files(path):
            raise _other(path, "a folder of objects")
        return None
    with storage.open_read(path) as stream:
        text = stream.read(LONGEST).decode("utf-8", "replace").rstrip("\n")
    if not storage.is_remote(text) or not text.isprintable():
        raise _other(path, "an object that names no build")
    return text


def _other(path: str, what: str) -> OutputError:
    return OutputError(f"{path} is {what}, not what an earlier promotion left: choose another --current")
