"""What both kinds of file have: a path, a size, a time, and temporary names that no listing shows."""

import os
import re
import uuid
from typing import NamedTuple

CHUNK = 1 << 20
_SCHEME = re.compile(r"[a-zA-Z][-a-zA-Z0-9+.]*://")
_TEMPORARY = re.compile(r"\.writing-\d+-[0-9a-f]{32}$")


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


def temporary_name() -> str:
    """Free of the final name, which may be as long as a name can be."""
    return f".writing-{os.getpid()}-{uuid.uuid4().hex}"


def is_temporary(path: str) -> bool:
    """Whether a path is a name that `temporary_name` made."""
    return _TEMPORARY.search(path) is not None
