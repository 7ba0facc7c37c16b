"""Files: the one place where the project opens, lists, writes and deletes them.

A path without a scheme is a local file. A path with one (`gs://bucket/name`) goes through Apache Beam's file systems,
which are imported only then. A file that is written appears under its name whole or not at all.
"""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import BinaryIO

from conceptloom.errors import InputError, OutputError
from conceptloom.storage import local, remote
from conceptloom.storage.names import CHUNK, FileInfo, absolute, is_remote, is_temporary, join
from conceptloom.storage.remote import options, use_options

__all__ = [
    "CHUNK",
    "FileInfo",
    "absolute",
    "atomic_path",
    "atomic_writer",
    "claim",
    "copy",
    "delete_all",
    "delete_in_use",
    "delete_tree",
    "delete_unfinished",
    "exists",
    "is_claimed",
    "is_remote",
    "join",
    "list_files",
    "list_folders",
    "match",
    "new_directory",
    "new_file",
    "open_read",
    "options",
    "read_bytes",
    "read_existing",
    "use_options",
    "write_bytes",
]

_CURES = {
    errno.ENOSPC: "free some space, or choose another place",
    errno.EDQUOT: "free some space, or choose another place",
    errno.EACCES: "choose a place that you may write to",
    errno.EPERM: "choose a place that you may write to",
    errno.EROFS: "choose a place that you may write to",
    errno.ENOTDIR: "a part of the path is a file: choose another place",
    errno.EISDIR: "this is a directory: choose another name",
}


def match(pattern: str) -> list[FileInfo]:
    """Returns the files that match a pattern with `*`, sorted by path; raises InputError if there are none.

    A path that exists matches only itself, whatever characters it contains.
    """
    with _reading(pattern):
        found = remote.match(pattern) if is_remote(pattern) else local.match(pattern)
    if not found and (list_files(pattern) if is_remote(pattern) else os.path.isdir(pattern)):
        raise InputError(f"{pattern}: this is a directory; name its files: {join(pattern, '*')}")
    if not found:
        raise InputError(f"{pattern}: no such file; check the path (a pattern may contain *)")
    return found


def list_files(directory: str) -> list[FileInfo]:
    """Returns every finished file below a directory, at any depth, sorted by path; none if it does not exist."""
    with _reading(directory):
        found = remote.below(directory) if is_remote(directory) else local.below(directory)
    return [info for info in found if not is_temporary(info.path)]


def list_folders(directory: str) -> dict[str, list[FileInfo]]:
    """Returns the finished files below each folder in a directory, at any depth, by its name; sorted by path.

    Under "" are the files directly in the directory. Local links are not followed: they are files, even if broken.
    """
    with _reading(directory):
        found = remote.by_folder(directory) if is_remote(directory) else local.by_folder(directory)
    return {name: [info for info in infos if not is_temporary(info.path)] for name, infos in found.items()}


def exists(path: str) -> bool:
    """Returns whether a file of this name exists, or, locally, a directory."""
    with _reading(path):
        return remote.exists(path) if is_remote(path) else os.path.exists(path)


def open_read(path: str, start: int = 0) -> BinaryIO:
    """Opens a file's raw bytes (never decompressed) at a byte position. The stream can seek."""
    with _reading(path):
        stream: BinaryIO = remote.open_read(path) if is_remote(path) else open(path, "rb")  # noqa: SIM115
        if start:
            stream.seek(start)
        return stream


def read_bytes(path: str) -> bytes:
    """Returns the whole content of a file."""
    with open_read(path) as stream, _reading(path):
        return stream.read()


def read_existing(path: str) -> bytes | None:
    """Returns the whole content of a file, or None if it does not exist: one request less than `exists` and reading."""
    try:
        return read_bytes(path)
    except InputError as error:
        if isinstance(error.__cause__, OSError) and error.__cause__.errno in (errno.ENOENT, errno.ENOTDIR):
            return None
        raise


def write_bytes(path: str, data: bytes) -> None:
    """Writes a file, whole or not at all."""
    with atomic_writer(path) as stream:
        stream.write(data)


def copy(source: str, target: str) -> None:
    """Copies a file's bytes; the target appears whole or not at all."""
    with open_read(source) as stream, atomic_writer(target) as copied:
        shutil.copyfileobj(stream, copied, CHUNK)


def delete_tree(path: str) -> None:
    """Deletes a file, or a directory with everything in it, if it exists."""
    delete_all([path])


def delete_all(paths: Sequence[str]) -> None:
    """Does `delete_tree` for each path, in any order; an object store gets one request for all."""
    with _writing(paths[0]):
        local.delete(path for path in paths if not is_remote(path))
        remote.delete(path for path in paths if is_remote(path))


def delete_unfinished(directory: str) -> None:
    """Deletes what killed writers left below a directory, at any depth. An object store holds nothing unfinished."""
    with _writing(directory):
        (remote if is_remote(directory) else local).delete_unfinished(directory)


def delete_in_use(directory: str) -> None:
    """Deletes a local directory that other processes may still write to, if it exists; they find it no more."""
    with _writing(directory):
        local.delete_in_use(directory)


def new_directory(path: str) -> None:
    """Creates an empty local directory, and those above it; one of this name is deleted with everything in it."""
    delete_tree(path)
    with _writing(path):
        os.makedirs(path)


@contextmanager
def new_file(path: str) -> Iterator[BinaryIO]:
    """Yields a stream to a new local file, which appears at once: for what no one looks for before it is finished.

    Unlike an atomic writer it creates no directory.
    """
    with _writing(path), open(path, "xb") as stream:
        yield stream


@contextmanager
def atomic_writer(path: str) -> Iterator[BinaryIO]:
    """Yields a stream whose content becomes the file `path` if the block succeeds, and is deleted if it fails."""
    if is_remote(path):
        with _writing(path), remote.writer(path) as stream:
            yield stream
    else:
        with atomic_path(path) as temporary, open(temporary, "xb") as opened:
            yield opened


@contextmanager
def atomic_path(path: str) -> Iterator[str]:
    """Yields a local name to write to, for writers that need one; its file becomes `path` if the block succeeds.

    The name has no suffix that would suggest a format or a compression.
    """
    if is_remote(path):
        with tempfile.TemporaryDirectory() as directory:
            temporary = os.path.join(directory, "file")
            with _writing(path):
                yield temporary
            copy(temporary, path)
    else:
        with _writing(path), local.atomic_path(path) as temporary:
            yield temporary


@contextmanager
def claim(path: str, content: bytes) -> Iterator[bool]:
    """Locks the file `path` for the block, creating it with `content` if needed; yields whether the lock was free.

    Only local files can be locked; the kernel releases the lock when the process ends, killed or not. Beam offers no
    locks in object stores: there it always yields True.
    """
    if is_remote(path):
        if read_existing(path) != content:
            write_bytes(path, content)
        yield True
        return
    with ExitStack() as stack:
        with _writing(path):
            held = stack.enter_context(local.claim(path, content))
        yield held


def is_claimed(path: str) -> bool:
    """Returns whether another process holds the lock of `claim`; always False in an object store, which has none."""
    with _reading(path):
        return not is_remote(path) and local.is_claimed(path)


@contextmanager
def _reading(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = error.filename or path
        cure = getattr(error, "cure", None) or "check the path and its rights"
        raise InputError(f"{where}: cannot be read: {error.strerror or error}; {cure}") from error


@contextmanager
def _writing(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        cure = getattr(error, "cure", None) or _CURES.get(error.errno or 0, "check the path, or choose another place")
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}; {cure}") from error
