"""Memory that this process no longer uses, given back to the system."""

import ctypes
from contextlib import suppress

import pyarrow as pa


def release() -> None:
    """Returns unused memory of this process to the system, as far as its allocators can; takes 10 to 30 ms."""
    pa.default_memory_pool().release_unused()
    with suppress(OSError, AttributeError):
        # A function of glibc; other C libraries lack it.
        ctypes.CDLL(None).malloc_trim(0)
