"""From what a file system raises, of whichever library, to an OSError that says what to do."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class RemoteError(OSError):
    """What a file system said, and what the user can do about it."""

    def __init__(self, code: int, text: str, cure: str | None = None) -> None:
        super().__init__(code, text)
        self.cure = cure


NO_OBJECT = ("no such object, or no such bucket", "check the path")


def no_bucket(path: str) -> tuple[str, str]:
    """What "not found" means where no object was asked for, and its cure."""
    return f"there is no bucket {bucket(path)}", "make it first, or check its name"


def bucket(path: str) -> str:
    """`gs://bucket` of `gs://bucket/a/b`."""
    return "/".join(path.split("/", 3)[:3])


@contextmanager
def as_os_errors(path: str, missing: tuple[str, str] = NO_OBJECT) -> Iterator[None]:
    """Raises RemoteError, or an OSError with its number, in the place of whatever the block raises; defects stay.

    `missing` says what HTTP's "not found" means here, and its cure.
    """
    try:
        yield
    except (ImportError, TypeError, AttributeError):
        raise
    except Exception as error:
        cause = _cause(error)
        if isinstance(cause, OSError) and cause.errno:
            raise cause from error
        if isinstance(cause, ValueError) and "Unable to get filesystem" in str(cause):
            raise _without_file_system(path) from None
        if isinstance(cause, ValueError):
            raise RemoteError(errno.EINVAL, str(cause), "check the path") from error
        raise error_of(path, _status(cause), str(cause), missing) from error


def _cause(error: Any) -> Any:
    """What Beam wraps: the error of the one path that was asked for."""
    while getattr(error, "exception_details", None):
        error = next(iter(error.exception_details.values()))
    return error


def _status(error: Any) -> int | None:
    """The HTTP status inside an error, of whichever of Google's libraries."""
    status = error if isinstance(error, int) else getattr(error, "code", None)
    status = getattr(getattr(error, "response", None), "status_code", status)
    return int(status) if isinstance(status, int) else None


def error_of(path: str, status: int | None, text: str, missing: tuple[str, str]) -> RemoteError:
    """The error for an HTTP status, or for a failure that has none and is told by its text."""
    if status == 404:
        return RemoteError(errno.ENOENT, *missing)
    if status in (401, 403):
        cure = f"log in (gcloud auth application-default login), or ask for rights to {bucket(path)}"
        return RemoteError(errno.EACCES, f"not allowed (HTTP {status})", cure)
    text = " ".join(text.split()) or f"HTTP {status}"
    return RemoteError(errno.EIO, text, f"check the network and {bucket(path)}, and start again")


def _without_file_system(path: str) -> RemoteError:
    scheme = path.partition("://")[0]
    extra = "conceptloom[gcp]" if scheme == "gs" else "apache-beam[aws]" if scheme == "s3" else f"apache-beam[{scheme}]"
    return RemoteError(errno.ENOSYS, f"{scheme}:// wants a package that is missing", f"pip install '{extra}'")
