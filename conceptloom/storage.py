"""Files: the one place where the project opens, lists, writes and deletes them.

A path without a scheme is a local file. A path with one (`gs://bucket/name`) goes through Apache Beam's file systems,
which are imported only then. Whatever is written appears under its name whole or not at all.
"""

import errno
import glob
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, NamedTuple

from conceptloom.errors import InputError, OutputError

CHUNK = 1 << 20
_SCHEME = re.compile(r"[a-zA-Z][-a-zA-Z0-9+.]*://")
_TEMPORARY = re.compile(r"\.writing-\d+-[0-9a-f]{32}$")
_CURES = {
    errno.ENOSPC: "free some space, or choose another place",
    errno.EDQUOT: "free some space, or choose another place",
    errno.EACCES: "choose a place that you may write to",
    errno.EPERM: "choose a place that you may write to",
    errno.EROFS: "choose a place that you may write to",
    errno.ENOTDIR: "a part of the path is a file: choose another place",
    errno.EISDIR: "this is a directory: choose another name",
}


class FileInfo(NamedTuple):
    """A file, its size in bytes, and when it was last changed (seconds since 1970)."""

    path: str
    size: int
    modified: float


def is_remote(path: str) -> bool:
    """Whether the path has a scheme."""
    return _SCHEME.match(path) is not None


def join(directory: str, *names: str) -> str:
    """The path of a file below a directory, of either kind."""
    return "/".join([directory.rstrip("/"), *names]) if is_remote(directory) else os.path.join(directory, *names)


def absolute(path: str) -> str:
    """One spelling for one local file; a path with a scheme is as it is."""
    return path if is_remote(path) else os.path.abspath(path)


def match(pattern: str) -> list[FileInfo]:
    """The files that a pattern with `*` names, sorted by path; raises InputError where there are none.

    A path that exists stands for itself, whatever characters it holds.
    """
    with _reading(pattern):
        found = _match_remote(pattern) if is_remote(pattern) else _match_local(pattern)
    if not found and not is_remote(pattern) and os.path.isdir(pattern):
        raise InputError(f"{pattern}: this is a directory; name its files: {join(pattern, '*')}")
    if not found:
        raise InputError(f"{pattern}: no such file; check the path (a pattern may hold *)")
    return found


def list_files(directory: str) -> list[FileInfo]:
    """Every finished file below a directory, however deep, sorted by path; empty where there is no such directory."""
    with _reading(directory):
        if is_remote(directory):
            found = _below(directory)
        else:
            found = _infos(os.path.join(at, name) for at, _, names in os.walk(directory) for name in names)
    return [info for info in found if not _TEMPORARY.search(info.path)]


def exists(path: str) -> bool:
    """Whether a file or directory of this name exists."""
    return bool(_beam().exists(path)) if is_remote(path) else os.path.exists(path)


def open_read(path: str, start: int = 0) -> BinaryIO:
    """Opens a file's raw bytes (never unzipped) at a byte position. The stream can seek."""
    with _reading(path):
        stream: BinaryIO = _open_remote(path) if is_remote(path) else open(path, "rb")  # noqa: SIM115
        if start:
            stream.seek(start)
        return stream


def read_bytes(path: str) -> bytes:
    """The whole content of a file."""
    with open_read(path) as stream, _reading(path):
        return stream.read()


def write_bytes(path: str, data: bytes) -> None:
    """Writes a file, whole or not at all."""
    with atomic_writer(path) as stream:
        stream.write(data)


def copy(source: str, target: str) -> None:
    """Copies a file's bytes; the target appears whole or not at all."""
    with open_read(source) as stream, atomic_writer(target) as copied:
        shutil.copyfileobj(stream, copied, CHUNK)


def delete_tree(path: str) -> None:
    """Deletes a file, or a directory with all that is in it. What is not there is deleted already."""
    with _writing(path):
        if is_remote(path):
            _delete_remote(path)
        elif os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.unlink(path)


def delete_unfinished(directory: str) -> None:
    """Deletes what killed writers left in a local directory, however deep."""
    if not is_remote(directory):
        for at, _, names in os.walk(directory):
            for name in filter(_TEMPORARY.search, names):
                delete_tree(os.path.join(at, name))


@contextmanager
def atomic_writer(path: str) -> Iterator[BinaryIO]:
    """A stream whose content becomes the file `path` when the block ends well, and is deleted when it does not."""
    if is_remote(path):
        with _writing(path), _remote_writer(path) as stream:
            yield stream
    else:
        with atomic_path(path) as temporary, open(temporary, "xb") as local:
            yield local


@contextmanager
def atomic_path(path: str) -> Iterator[str]:
    """A local name to write to, for writers that want one. What stands there becomes `path` when the block ends well.

    The name has no suffix that would tell a format or a compression.
    """
    if is_remote(path):
        with tempfile.TemporaryDirectory() as directory:
            temporary = os.path.join(directory, "file")
            with _writing(path):
                yield temporary
            copy(temporary, path)
        return
    with _writing(path):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        temporary = os.path.join(os.path.dirname(path), _temporary_name())
        try:
            yield temporary
            os.replace(temporary, path)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)


def _temporary_name() -> str:
    """Free of the final name, which may be as long as a name can be."""
    return f".writing-{os.getpid()}-{uuid.uuid4().hex}"


@contextmanager
def _reading(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = error.filename or path
        raise InputError(
            f"{where}: cannot be read: {error.strerror or error}; check the path and its rights"
        ) from error


@contextmanager
def _writing(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        cure = _CURES.get(error.errno or 0, "check the path, or choose another place")
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}; {cure}") from error


def _match_local(pattern: str) -> list[FileInfo]:
    paths = [pattern] if os.path.lexists(pattern) else glob.iglob(pattern, recursive=True)
    return _infos(path for path in paths if not os.path.isdir(path))


def _infos(paths: Iterator[str]) -> list[FileInfo]:
    found = ((path, os.stat(path)) for path in paths)
    return sorted(FileInfo(path, state.st_size, state.st_mtime) for path, state in found)


def _beam() -> Any:
    from apache_beam.io.filesystems import FileSystems  # the core starts without Beam

    return FileSystems


def _plain() -> dict[str, str]:
    """Beam would unzip by the name of a file; here bytes are bytes."""
    from apache_beam.io.filesystem import CompressionTypes

    return {"mime_type": "application/octet-stream", "compression_type": CompressionTypes.UNCOMPRESSED}


def _open_remote(path: str) -> Any:
    return _beam().open(path, **_plain())


def _match_remote(pattern: str) -> list[FileInfo]:
    if glob.has_magic(pattern) and _beam().exists(pattern):
        entry = _beam().get_filesystem(pattern).metadata(pattern)
        return [FileInfo(pattern, entry.size_in_bytes, entry.last_updated_in_seconds)]
    (result,) = _beam().match([pattern])
    found = (FileInfo(entry.path, entry.size_in_bytes, entry.last_updated_in_seconds) for entry in result.metadata_list)
    return sorted(found)


def _below(directory: str) -> list[FileInfo]:
    """What `directory` holds; its own name may hold glob characters, so what they match beside it is left out."""
    found = _match_remote(join(directory, "**"))
    return [info for info in found if info.path.startswith(join(directory, ""))]


def _delete_remote(path: str) -> None:
    """An object store has no directories: what is deleted is the object of that name and those below it."""
    found = [path] if _beam().exists(path) else []
    found += [info.path for info in _below(path)]
    if found:
        _beam().delete(found)


@contextmanager
def _remote_writer(path: str) -> Iterator[BinaryIO]:
    temporary = join(path.rpartition("/")[0], _temporary_name())
    try:
        with _beam().create(temporary, **_plain()) as stream:
            yield stream
        _beam().rename([temporary], [path])
    except BaseException:
        with suppress(OSError):
            _beam().delete([temporary])
        raise
