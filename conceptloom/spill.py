"""Blocks that meet again on the same machine: they wait in files, and references travel in their place.

The local runner opens a directory for the blocks of a stage. Elsewhere there is none, and blocks travel themselves.
"""

import os
import struct
import uuid
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import BinaryIO

from conceptloom import storage
from conceptloom.errors import BuildError, InputError

SMALL = 256
"""Bytes of the largest block that travels itself: its reference would save nothing."""

MARK = b"\x93conceptloom spilled"
"""How a reference begins. A block that begins like this waits in a file, however small it is."""
_RANGE = struct.Struct(">QQ")
"""Where a block begins in its file, and its bytes; the name of the file follows."""

_opened: "Spill | None" = None


@dataclass(frozen=True)
class Spill:
    """The blocks of one stage in a local directory. Every process of this machine that has it can read and write."""

    directory: str
    compression: str | None = None
    """The Arrow codec of its blocks. By default there is none: the machine's free memory holds such files anyway."""

    @contextmanager
    def writer(self) -> Iterator["SpillWriter"]:
        """Yields what writes blocks into one new file. Raises OutputError where the file cannot be written."""
        with ExitStack() as stack:
            yield SpillWriter(os.path.join(self.directory, uuid.uuid4().hex), stack)

    def blocks(self, blocks: Iterable[bytes]) -> "Blocks":
        """Returns the content of blocks and references, in their order."""
        return Blocks(self, tuple(blocks))

    def content(self, block: bytes) -> bytes:
        """Returns a block, whether it is given itself or as a reference; raises BuildError if its file is not whole."""
        if not block.startswith(MARK):
            return block
        start, length = _RANGE.unpack_from(block, len(MARK))
        path = os.path.join(self.directory, block[len(MARK) + _RANGE.size :].decode())
        try:
            with storage.open_read(path, start) as stream:
                content = stream.read(length)
        except InputError as error:
            raise _damaged(path) from error
        if len(content) < length:
            raise _damaged(path)
        return content


def _damaged(path: str) -> BuildError:
    return BuildError(
        f"{path} is missing or cut short: it held blocks of the running stage, which only the build itself may delete; "
        "start the build again, it goes on with this stage"
    )


class SpillWriter:
    """Writes blocks one after the other into one file, which is created with the first."""

    def __init__(self, path: str, stack: ExitStack) -> None:
        self._path = path
        self._stack = stack
        self._stream: BinaryIO | None = None

    def put(self, block: bytes) -> bytes:
        """Returns what travels for a block: a reference to its content in the file, or itself if it is small."""
        if len(block) <= SMALL and not block.startswith(MARK):
            return block
        if self._stream is None:
            self._stream = self._stack.enter_context(storage.new_file(self._path))
        start = self._stream.tell()
        self._stream.write(block)
        return MARK + _RANGE.pack(start, len(block)) + os.path.basename(self._path).encode()


@dataclass(frozen=True)
class Blocks:
    """The content of blocks, read one after the other each time it is iterated over."""

    spill: Spill
    waiting: tuple[bytes, ...]

    def __iter__(self) -> Iterator[bytes]:
        return map(self.spill.content, self.waiting)


@lru_cache(maxsize=1)
def held_content(spill: Spill, block: bytes) -> bytes:
    """Returns the content of a block that many calls of a process want one after the other, read once."""
    return spill.content(block)


@contextmanager
def spilling(directory: str, compression: str | None = None) -> Iterator[None]:
    """Opens a new local directory for the blocks of this process and its workers, deleted when the block ends."""
    global _opened
    storage.new_directory(directory)
    _opened = Spill(directory, compression)
    try:
        yield
    finally:
        _opened = None
        storage.delete_in_use(directory)


def opened() -> Spill | None:
    """Returns where the blocks of this process wait, or None if they travel themselves."""
    return _opened


def waiting(block: bytes) -> bytes:
    """Returns what travels for a block of the runner's own process."""
    if _opened is None:
        return block
    with _opened.writer() as writer:
        return writer.put(block)


def whole(block: bytes) -> bytes:
    """Returns the content of a block that came to a step of the runner's own process."""
    return block if _opened is None else _opened.content(block)


def size(block: bytes) -> int:
    """Returns the bytes of such a block's content."""
    if _opened is None or not block.startswith(MARK):
        return len(block)
    return int(_RANGE.unpack_from(block, len(MARK))[1])
