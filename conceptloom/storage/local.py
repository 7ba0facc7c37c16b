"""Local files."""

import errno
import fcntl
import glob
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from conceptloom.storage.names import FileInfo, is_temporary, temporary_name

TRIES, PAUSE = 4, 0.02
"""How often a lock is tried, and the seconds between."""


def match(pattern: str) -> list[FileInfo]:
    """Returns the files that match a pattern, sorted; a path that exists matches only itself. Raises OSError."""
    paths = [pattern] if os.path.lexists(pattern) else glob.iglob(pattern, recursive=True)
    return _infos(path for path in paths if not os.path.isdir(path))


def below(directory: str) -> list[FileInfo]:
    """Returns every file below a directory, sorted. Raises OSError."""
    return _infos(os.path.join(at, name) for at, _, names in os.walk(directory) for name in names)


def by_folder(directory: str) -> dict[str, list[FileInfo]]:
    """Returns the files below each folder in a directory; under "" those in it, links included. Raises OSError.

    Links are not followed, and what goes away meanwhile is left out.
    """
    found: dict[str, list[FileInfo]] = {"": []}
    for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else ():
        path = os.path.join(directory, name)
        if os.path.isdir(path) and not os.path.islink(path):
            paths = (os.path.join(at, name) for at, _, names in os.walk(path) for name in names)
            found[name] = sorted(_present(paths))
        elif os.path.lexists(path):
            state = os.lstat(path)
            found[""].append(FileInfo(path, state.st_size, state.st_mtime))
    return found


def delete(paths: Iterable[str]) -> None:
    """Deletes files, and directories with everything in them; of a link only itself, not its target. Raises OSError."""
    for path in paths:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.unlink(path)


def delete_unfinished(directory: str) -> None:
    """Deletes what killed writers left below the directory, at any depth. Raises OSError."""
    found = (os.path.join(at, name) for at, _, names in os.walk(directory) for name in names)
    delete([path for path in found if is_temporary(path)])


def delete_in_use(directory: str) -> None:
    """Deletes a directory that other processes may still write to: they find it no more. Raises OSError."""
    # Renamed first: a file that is created meanwhile would keep the directory from being deleted.
    retired = os.path.join(os.path.dirname(directory), temporary_name())
    with suppress(FileNotFoundError):
        os.rename(directory, retired)
        shutil.rmtree(retired)


@contextmanager
def atomic_path(path: str) -> Iterator[str]:
    """Yields a name beside `path` to write to; its file becomes `path` if the block succeeds. Raises OSError."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    temporary = os.path.join(os.path.dirname(path), temporary_name())
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


@contextmanager
def claim(path: str, content: bytes) -> Iterator[bool]:
    """Locks the file `path` for the block and gives it this content; yields False if another process holds the lock.

    The kernel releases the lock when the process ends, however it ends. Raises OSError.
    """
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "a+b") as stream:
        held = _lock(stream.fileno())
        if held:
            # In place: a file that replaced it would be another one, which anybody could lock.
            stream.seek(0)
            if stream.read() != content:
                stream.truncate(0)
                stream.write(content)
                stream.flush()
        yield held


def is_claimed(path: str) -> bool:
    """Returns whether a process holds the lock of `claim` on a file. Raises OSError."""
    try:
        with open(path, "rb") as stream:
            return not _flock(stream.fileno(), fcntl.LOCK_SH)
    except FileNotFoundError:
        return False


def _lock(file: int) -> bool:
    # Whoever asks `is_claimed` holds a lock too, for an instant.
    for _ in range(TRIES - 1):
        if _flock(file, fcntl.LOCK_EX):
            return True
        time.sleep(PAUSE)
    return _flock(file, fcntl.LOCK_EX)


def _flock(file: int, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except OSError as error:
        # Some network file systems have no locks: there a build continues without one.
        return error.errno not in (errno.EAGAIN, errno.EACCES)
    return True


def _present(paths: Iterable[str]) -> Iterator[FileInfo]:
    for path in paths:
        with suppress(FileNotFoundError):
            state = os.stat(path)
            yield FileInfo(path, state.st_size, state.st_mtime)


def _infos(paths: Iterable[str]) -> list[FileInfo]:
    found = ((path, os.stat(path)) for path in paths)
    return sorted(FileInfo(path, state.st_size, state.st_mtime) for path, state in found)
