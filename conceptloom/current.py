"""Which build is the current one: a symbolic link beside the builds or, in an object store, an object with its path."""

import os

from conceptloom import storage
from conceptloom.errors import OutputError

NAME = "current"

LONGEST = 4096
"""Bytes that the object of an object store holds at most: it names a build, and nothing else."""


def current_build(path: str) -> str | None:
    """The build that `current` at this path points at, or None where nothing is there yet.

    Raises OutputError where something else stands there, or a build that is gone.
    """
    build = _named_remote(path) if storage.is_remote(path) else _named_local(path)
    if build is not None and not storage.list_files(build):
        raise OutputError(f"{path} points at {build}, where nothing is: delete {path}, or point it at a build")
    return build


def build_at(path: str) -> str:
    """The build at a path: the path itself, or what a name of a current build points at.

    Raises OutputError where it points at a build that is gone.
    """
    name = path.rstrip("/")
    is_name = storage.exists(name) if storage.is_remote(name) else os.path.islink(name)
    return (current_build(name) or path) if is_name else path


def is_current(build: str) -> bool:
    """Whether the name `current` beside a build points at it."""
    try:
        named = current_build(beside(build))
    except OutputError:
        return False
    return named == resolved(build)


def beside(build: str) -> str:
    """The usual name of the current build of the folder that a build stands in."""
    found = resolved(build)
    return storage.join(found.rpartition("/")[0] if storage.is_remote(found) else os.path.dirname(found), NAME)


def resolved(build: str) -> str:
    """One spelling for one build; a name of the current build is resolved to the build."""
    return build.rstrip("/") if storage.is_remote(build) else os.path.realpath(build)


def switch(path: str, build: str) -> None:
    """Makes `build` the current one: before and after, and at every moment between, `path` names a whole build.

    Raises OutputError where that cannot be written.
    """
    if storage.is_remote(path):
        storage.write_bytes(path, f"{build}\n".encode())
        return
    # Relative: the folder of builds may be moved or mounted elsewhere.
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
