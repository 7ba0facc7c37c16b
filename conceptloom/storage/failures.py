"""Turns what a file system raises, from whichever library, into an OSError that says what to do."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager


class RemoteError(OSError):
    """An error of a remote file system, with what the user can do about it."""

    def __init__(self, code: int, text: str, cure: str | None = None) -> None:
        super().__init__(code, text)
        self.cure = cure


NO_OBJECT = ("no such object, or no such bucket", "check the path")


def no_bucket(path: str) -> tuple[str, str]:
    """Returns what "not found" means for a request that named no object, and its cure."""
    return f"there is no bucket {bucket(path)}", "make it first, or check its name"


def bucket(path: str) -> str:
    """Returns the `gs://bucket` of a path such as `gs://bucket/a/b`."""
    return "/".join(path.split("/", 3)[:3])


@contextmanager
def as_os_errors(path: str, missing: tuple[str, str] = NO_OBJECT) -> Iterator[None]:
    """Replaces whatever the block raises by a RemoteError, or an OSError with its number; programming errors stay.

    `missing` is what HTTP's "not found" means here, and its cure.
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


def _cause(error: object) -> object:
    """Returns the error that Beam wraps: that of the one path in the request."""
    while details := getattr(error, "exception_details", None):
        error = next(iter(details.values()))
    return error


def _status(error: object) -> int | None:
    """Returns the HTTP status inside an error of any of Google's libraries."""
    status = error if isinstance(error, int) else getattr(error, "code", None)
    status = getattr(getattr(error, "response", None), "status_code", status)
    return int(status) if isinstance(status, int) else None


def error_of(path: str, status: int | None, text: str, missing: tuple[str, str]) -> RemoteError:
    """Returns the error for an HTTP status, or for a failure that has no status, only a text."""
    if status == 404:
        return RemoteError(errno.ENOENT, *missing)
    if status in (401, 403):
        cure = f"log in (gcloud auth application-default login), or ask for rights to {bucket(path)}"
        return RemoteError(errno.EACCES, f"not allowed (HTTP {status})", cure)
    text = " ".join(text.split()) or f"HTTP {status}"
    return RemoteError(errno.EIO, text, f"check the network and {bucket(path)}, and run again")


def _without_file_system(path: str) -> RemoteError:
    scheme = path.partition("://")[0]
    extra = "conceptloom[gcp]" if scheme == "gs" else "apache-beam[aws]" if scheme == "s3" else f"apache-beam[{scheme}]"
    return RemoteError(errno.ENOSYS, f"{scheme}:// needs a package that is not installed", f"pip install '{extra}'")
