"""File systems of Beam that live in memory, for tests."""

import errno
import io

from apache_beam.io.filesystem import FileMetadata, FileSystem


class Written(io.BytesIO):
    """An object that is there when it is closed."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path

    def close(self) -> None:
        if not self.closed:
            MemoryFileSystem.objects[self.path] = self.getvalue()
        super().close()


class MemoryFileSystem(FileSystem):
    """An object store in memory, found by Beam through its scheme."""

    objects: dict[str, bytes] = {}  # noqa: RUF012

    @classmethod
    def scheme(cls) -> str:
        return "memory"

    def join(self, basepath, *paths):
        return "/".join([basepath, *paths])

    def split(self, path):
        return path.rpartition("/")[0], path.rpartition("/")[2]

    def mkdirs(self, path):
        raise NotImplementedError

    def has_dirs(self):
        return False

    def _list(self, dir_or_prefix):
        for path, data in list(self.objects.items()):
            if path.startswith(dir_or_prefix):
                yield FileMetadata(path, len(data), 1.5)

    def create(self, path, mime_type="", compression_type=None):
        return Written(path)

    def open(self, path, mime_type="", compression_type=None):
        if path not in self.objects:
            raise FileNotFoundError(errno.ENOENT, "no such object")
        return io.BytesIO(self.objects[path])

    def copy(self, source_file_names, destination_file_names):
        raise NotImplementedError

    def rename(self, source_file_names, destination_file_names):
        for source, target in zip(source_file_names, destination_file_names, strict=True):
            self.objects[target] = self.objects.pop(source)

    def exists(self, path):
        return path in self.objects

    def size(self, path):
        return len(self.objects[path])

    def last_updated(self, path):
        return 1.5

    def checksum(self, path):
        return ""

    def metadata(self, path):
        return FileMetadata(path, self.size(path), 1.5)

    def delete(self, paths):
        for path in paths:
            self.objects.pop(path, None)


class DirectoryFileSystem(MemoryFileSystem):
    """The same with directories: a file in it is there while it is being written."""

    @classmethod
    def scheme(cls) -> str:
        return "directories"

    def has_dirs(self):
        return True

    def _url_dirname(self, url_or_path):
        return url_or_path.rpartition("/")[0]

    def create(self, path, mime_type="", compression_type=None):
        self.objects[path] = b""
        return Written(path)
