"""Files with a scheme (`gs://bucket/name`), through Apache Beam's file systems; the first of them imports Beam.

Every failure, of whichever library, is raised as an OSError whose text says what to do.
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
from typing import IO, TYPE_CHECKING, BinaryIO

from conceptloom.storage.failures import NO_OBJECT, as_os_errors, bucket, error_of, no_bucket
from conceptloom.storage.names import CHUNK, FileInfo, is_temporary, join, temporary_name

if TYPE_CHECKING:
    from apache_beam.io.filesystem import FileSystem
    from apache_beam.io.gcp.gcsio import GcsIO
    from apache_beam.options.pipeline_options import PipelineOptions

READ_AHEAD = 6 * CHUNK
"""Bytes fetched at once: the piece of an input that one task reads (4 MiB) and the lines around it, in one request."""
IN_MEMORY = 64 * CHUNK
"""Bytes of a file being written that are held in memory; a longer file waits on the local disk."""

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
    """Returns what `use_options` was given, for the other processes of the build."""
    return _options


def match(pattern: str) -> list[FileInfo]:
    """Returns the objects that match a pattern, sorted; a name that exists matches only itself. Raises OSError."""
    found = _files(_matched(pattern)) if glob.has_magic(pattern) else _with_prefix(pattern)
    # `[` is the only pattern character that does not match itself.
    named = [info for info in (_with_prefix(pattern) if "[" in pattern else found) if info.path == pattern]
    return named or (found if glob.has_magic(pattern) else [])


def below(directory: str) -> list[FileInfo]:
    """Returns every object below a directory, sorted. Raises OSError."""
    return _files(_with_prefix(join(directory, "")))


def by_folder(directory: str) -> dict[str, list[FileInfo]]:
    """Returns the objects below each folder in a directory; under "" those directly in it. Raises OSError."""
    found: dict[str, list[FileInfo]] = {"": []}
    for info in below(directory):
        name, slash, _ = info.path.removeprefix(join(directory, "")).partition("/")
        found.setdefault(name if slash else "", []).append(info)
    return found


def exists(path: str) -> bool:
    """Returns whether there is an object of this name. Raises OSError."""
    with as_os_errors(path):
        return bool(_file_system(path).exists(path))


def open_read(path: str) -> BinaryIO:
    """Returns an object's bytes as a stream that can seek. Raises OSError, as do the stream's own methods."""
    with as_os_errors(path):
        system = _file_system(path)
        gcs = _gcs(system)
        opened = gcs.open(path, "rb", read_buffer_size=READ_AHEAD) if gcs else system.open(path, **_plain())
    return io.BufferedReader(_Stream(path, opened), CHUNK)


def delete(paths: Iterable[str]) -> None:
    """Deletes objects, and all objects below these names, as an object store has no directories. Raises OSError."""
    for _, group in groupby(sorted(paths), bucket):
        names = tuple(group)
        shared = os.path.commonprefix(names)  # noqa: RUF071  (listings match by characters)
        found = [info.path for info in _with_prefix(shared) if _is_in(info.path, names)]
        if found:
            _delete_objects(found)


def delete_unfinished(directory: str) -> None:
    """Deletes what killed writers left below a directory, if the file system needs temporary names at all."""
    with as_os_errors(directory):
        atomic = _is_atomic(_file_system(directory))
    found = [] if atomic else [info.path for info in below(directory) if is_temporary(info.path)]
    if found:
        _delete_objects(found)


@contextmanager
def writer(path: str) -> Iterator[BinaryIO]:
    """Yields a stream whose content is sent if the block succeeds; nothing is sent if it fails. Raises OSError.

    Sent only at the end, because not every upload can be aborted: closing its stream, as an exception or the garbage
    collector does, makes an object of the half that was written.
    """
    with tempfile.SpooledTemporaryFile(IN_MEMORY) as whole:
        yield whole
        whole.seek(0)
        with as_os_errors(path, no_bucket(path)):
            _send(whole, path)


def _send(whole: IO[bytes], path: str) -> None:
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


def _is_atomic(system: "FileSystem") -> bool:
    # A store without directories keeps objects, each of which appears when its last byte has arrived.
    return not system.has_dirs()


def _delete_objects(paths: list[str]) -> None:
    with as_os_errors(paths[0]):
        system = _file_system(paths[0])
        gcs = _gcs(system)
        if gcs is None:
            system.delete(paths)
            return
        # The file system's own delete takes names for patterns, and makes two requests for each.
        failed = {path: code for path, code in gcs.delete_batch(paths) if code}
    for path, code in failed.items():
        raise error_of(path, code, "", NO_OBJECT)


def _is_in(path: str, names: tuple[str, ...]) -> bool:
    return any(path == name or path.startswith(join(name, "")) for name in names)


def _with_prefix(prefix: str) -> list[FileInfo]:
    # Beam cannot quote `*`, `?` and `[`: `?` stands for each of them, and surplus matches are dropped.
    found = _matched(re.sub(r"[*?\[]", "?", prefix) + "**")
    return [info for info in found if info.path.startswith(prefix)]


def _matched(pattern: str) -> list[FileInfo]:
    with as_os_errors(pattern, no_bucket(pattern)):
        (result,) = _file_system(pattern).match([pattern])
        entries = result.metadata_list
        return sorted(FileInfo(entry.path, entry.size_in_bytes, entry.last_updated_in_seconds) for entry in entries)


def _files(infos: list[FileInfo]) -> list[FileInfo]:
    """Returns the files without the empty objects that a store's console makes to show a directory."""
    return [info for info in infos if not info.path.endswith("/")]


def _file_system(path: str) -> "FileSystem":
    global _applied
    from apache_beam.io.filesystems import FileSystems  # the core must start without Beam

    if _options is not None and _options != _applied:
        from apache_beam.options.pipeline_options import PipelineOptions

        FileSystems.set_options(PipelineOptions(list(_options)))
        _applied = _options
    system = FileSystems.get_filesystem(path)
    if path.startswith("gs://"):
        # By default Beam makes a client, with a connection, for every call, and ignores --no_auth.
        system._gcsIO = partial(_gcs, system)
    return system


def _gcs(system: "FileSystem") -> "GcsIO | None":
    """Returns Beam's client of Google Cloud Storage, one for each thread, or None for any other file system."""
    if system.scheme() != "gs":
        return None
    of = system._pipeline_options
    if getattr(_clients, "of", _clients) is not of:
        _clients.gcs, _clients.of = _new_gcs(of), of
    return _clients.gcs


def _new_gcs(options: "PipelineOptions | dict[str, object] | None") -> "GcsIO":
    from apache_beam.io.gcp.gcsio import GcsIO, create_storage_client
    from apache_beam.options.pipeline_options import GoogleCloudOptions, PipelineOptions

    # In a worker Beam may hold the options as plain values.
    known: PipelineOptions = (
        options if isinstance(options, PipelineOptions) else PipelineOptions.from_dictionary(options or {})
    )
    # Otherwise each process silently spends half a minute looking for credentials that do not exist.
    anonymous = known.view_as(GoogleCloudOptions).no_auth or "STORAGE_EMULATOR_HOST" in os.environ
    return GcsIO(create_storage_client(known, use_credentials=not anonymous), known)


def _plain() -> dict[str, str]:
    """Returns the arguments that keep Beam from decompressing files by their names."""
    from apache_beam.io.filesystem import CompressionTypes

    return {"mime_type": "application/octet-stream", "compression_type": CompressionTypes.UNCOMPRESSED}


class _Stream(io.RawIOBase):
    """A stream of a file system that raises OSErrors."""

    def __init__(self, path: str, stream: BinaryIO) -> None:
        self._path = path
        self._stream = stream

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
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
