"""What local and remote files share: path, size, time, and temporary names that no listing shows."""

import os
import re
import uuid
from typing import NamedTuple

CHUNK = 1 << 20
_SCHEME = re.compile(r"[a-zA-Z][-a-zA-Z0-9+.]*://")
_TEMPORARY = re.compile(r"\.writing-\d+-[0-9a-f]{32}$")


class FileInfo(NamedTuple):
    """A file, its size in bytes, and its last modification (seconds since 1970)."""

    path: str
    size: int
    modified: float


def is_remote(path: str) -> bool:
    """Returns whether the path has a scheme."""
    return _SCHEME.match(path) is not None


def join(directory: str, *names: str) -> str:
    """Returns the path of a file below a directory, local or remote."""
    return "/".join([directory.rstrip("/"), *names]) if is_remote(directory) else os.path.join(directory, *names)


def absolute(path: str) -> str:
    """Returns one spelling for each local file; a path with a scheme stays as it is."""
    return path if is_remote(path) else os.path.abspath(path)


def temporary_name() -> str:
    """Returns a new name, without the final name in it, which may already be as long as a name can be."""
    return f".writing-{os.getpid()}-{uuid.uuid4().hex}"


def is_temporary(path: str) -> bool:
    """Returns whether `temporary_name` made the name of this path."""
    return _TEMPORARY.search(path) is not None
