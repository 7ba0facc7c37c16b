"""Files with a scheme (`gs://bucket/name`), through Apache Beam's file systems; Beam is imported at the first of them.

Whatever goes wrong, of whichever library, is an OSError with a text that says what to do.
"""

import glob
import io
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import groupby
from typing import Any, BinaryIO

from conceptloom.storage.failures import NO_OBJECT, as_os_errors, bucket, error_of, no_bucket
from conceptloom.storage.names import CHUNK, FileInfo, is_temporary, join, temporary_name

READ_AHEAD = 6 * CHUNK
"""Bytes fetched at once: the piece of an input that one task reads (4 MiB) and the lines around it, in one request."""
IN_MEMORY = 64 * CHUNK
"""Bytes of a file being written that are held in memory; what is longer waits on the local disk."""

_options: tuple[str, ...] | None = None
_applied: tuple[str, ...] | None = None
_clients = threading.local()


def use_options(options: tuple[str, ...] | None) -> None:
    """Sets Beam's pipeline options (`--no_auth`, `--project=…`) for the file systems of this process.

    None leaves what Beam itself has set, as it does in the workers of a cluster.
    """
    global _options
    _options = options


def options() -> tuple[str, ...] | None:
    """What `use_options` was given: what another process of the same build wants too."""
    return _options


def match(pattern: str) -> list[FileInfo]:
    """The objects that a pattern names, sorted; a name that exists stands for itself. Raises OSError."""
    found = _files(_matched(pattern)) if glob.has_magic(pattern) else _with_prefix(pattern)
    # Of the characters of patterns, `[` alone does not find itself.
    named = [info for info in (_with_prefix(pattern) if "[" in pattern else found) if info.path == pattern]
    return named or (found if glob.has_magic(pattern) else [])


def below(directory: str) -> list[FileInfo]:
    """Every object below a directory, sorted. Raises OSError."""
    return _files(_with_prefix(join(directory, "")))


def exists(path: str) -> bool:
    """Whether there is an object of this name. Raises OSError."""
    with as_os_errors(path):
        return bool(_file_system(path).exists(path))


def open_read(path: str) -> BinaryIO:
    """An object's bytes as a stream that can seek. Raises OSError, as do the stream's own methods."""
    with as_os_errors(path):
        system = _file_system(path)
        gcs = _gcs(system)
        opened = gcs.open(path, "rb", read_buffer_size=READ_AHEAD) if gcs else system.open(path, **_plain())
    return io.BufferedReader(_Stream(path, opened), CHUNK)


def delete(paths: Iterable[str]) -> None:
    """Deletes objects, and all objects below these names: an object store has no directories. Raises OSError."""
    for _, group in groupby(sorted(paths), bucket):
        names = tuple(group)
        shared = os.path.commonprefix(names)  # noqa: RUF071  (a listing wants characters)
        found = [info.path for info in _with_prefix(shared) if _is_in(info.path, names)]
        if found:
            _delete_objects(found)


def delete_unfinished(directory: str) -> None:
    """Deletes what killed writers left below a directory, where the file system needs temporary names at all."""
    with as_os_errors(directory):
        atomic = _is_atomic(_file_system(directory))
    found = [] if atomic else [info.path for info in below(directory) if is_temporary(info.path)]
    if found:
        _delete_objects(found)


@contextmanager
def writer(path: str) -> Iterator[BinaryIO]:
    """A stream whose content is sent when the block ends well; nothing is when it does not. Raises OSError.

    Sent only then, because an upload that is under way cannot be given up everywhere: closing its stream, as an
    exception or the garbage collector does, makes an object of the half that was written.
    """
    with tempfile.SpooledTemporaryFile(IN_MEMORY) as whole:
        yield whole
        whole.seek(0)
        with as_os_errors(path, no_bucket(path)):
            _send(whole, path)


def _send(whole: Any, path: str) -> None:
    system = _file_system(path)
    atomic = _is_atomic(system)
    name = path if atomic else join(path.rpartition("/")[0], temporary_name())
    try:
        with system.create(name, **_plain()) as stream:
            shutil.copyfileobj(whole, stream, CHUNK)
        if not atomic:
            system.rename([name], [path])
    except BaseException:
        if not atomic:
            with suppress(OSError):
                system.delete([name])
        raise


def _is_atomic(system: Any) -> bool:
    # A store without directories keeps objects: one is there when its last byte has come, and not before.
    return not system.has_dirs()


def _delete_objects(paths: list[str]) -> None:
    with as_os_errors(paths[0]):
        system = _file_system(paths[0])
        gcs = _gcs(system)
        if gcs is None:
            system.delete(paths)
            return
        # The file system's own delete takes a name for a pattern, and asks twice for each.
        failed = {path: code for path, code in gcs.delete_batch(paths) if code}
    for path, code in failed.items():
        raise error_of(path, code, "", NO_OBJECT)


def _is_in(path: str, names: tuple[str, ...]) -> bool:
    return any(path == name or path.startswith(join(name, "")) for name in names)


def _with_prefix(prefix: str) -> list[FileInfo]:
    # Beam has no way to quote `*`, `?` and `[`: any character stands for them, and what that finds too much is left.
    found = _matched(re.sub(r"[*?\[]", "?", prefix) + "**")
    return [info for info in found if info.path.startswith(prefix)]


def _matched(pattern: str) -> list[FileInfo]:
    with as_os_errors(pattern, no_bucket(pattern)):
        (result,) = _file_system(pattern).match([pattern])
        entries = result.metadata_list
        return sorted(FileInfo(entry.path, entry.size_in_bytes, entry.last_updated_in_seconds) for entry in entries)


def _files(infos: list[FileInfo]) -> list[FileInfo]:
    """Without the empty objects that a store's console makes to show a directory."""
    return [info for info in infos if not info.path.endswith("/")]


def _file_system(path: str) -> Any:
    global _applied
    from apache_beam.io.filesystems import FileSystems  # the core starts without Beam

    if _options is not None and _options != _applied:
        from apache_beam.options.pipeline_options import PipelineOptions

        FileSystems.set_options(PipelineOptions(list(_options)))
        _applied = _options
    system = FileSystems.get_filesystem(path)
    if path.startswith("gs://"):
        # Of its own accord Beam makes a client, with a connection, for every call, and passes over --no_auth.
        system._gcsIO = partial(_gcs, system)
    return system


def _gcs(system: Any) -> Any:
    """Beam's client of Google Cloud Storage for its file system, one for each thread; None for any other system."""
    if system.scheme() != "gs":
        return None
    of = system._pipeline_options
    if getattr(_clients, "of", _clients) is not of:
        _clients.gcs, _clients.of = _new_gcs(of), of
    return _clients.gcs


def _new_gcs(options: Any) -> Any:
    from apache_beam.io.gcp.gcsio import GcsIO, create_storage_client
    from apache_beam.options.pipeline_options import GoogleCloudOptions, PipelineOptions

    # In a worker Beam may hold them as plain values.
    options = options if isinstance(options, PipelineOptions) else PipelineOptions.from_dictionary(options or {})
    # Without a word of it, credentials that do not exist are looked for half a minute, in each process.
    anonymous = options.view_as(GoogleCloudOptions).no_auth or "STORAGE_EMULATOR_HOST" in os.environ
    return GcsIO(create_storage_client(options, use_credentials=not anonymous), options)


def _plain() -> dict[str, str]:
    """Beam would unzip by the name of a file; here bytes are bytes."""
    from apache_beam.io.filesystem import CompressionTypes

    return {"mime_type": "application/octet-stream", "compression_type": CompressionTypes.UNCOMPRESSED}


class _Stream(io.RawIOBase):
    """A stream of a file system, whose errors are OSErrors."""

    def __init__(self, path: str, stream: Any) -> None:
        self._path = path
        self._stream = stream

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        return self._read(-1)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        with as_os_errors(self._path):
            return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        return int(self._stream.tell())

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()

    def _read(self, size: int) -> bytes:
        with as_os_errors(self._path):
            data: bytes = self._stream.read(size)
            return data
