"""Lines, fast: a block of whole lines is decoded at once, and line by line only where something is wrong with it."""

from collections.abc import Iterator
from functools import partial
from itertools import count, repeat
from typing import Any, BinaryIO

from conceptloom.readers.base import Entry, Malformed, Text
from conceptloom.readers.texts import EXCERPT, excerpt

CHUNK_BYTES = 1 << 20
LINE_BYTES = 1 << 20
"""A longer line is malformed."""

_HEAD_BYTES = 4 * EXCERPT  # a character has at most four bytes
_make_record: Any = partial(tuple.__new__, Text)  # twice as fast as Text(...), and this is the hot path


def whole_lines(stream: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """Blocks of whole lines without the last line feed, or (head, True) of one line longer than LINE_BYTES.

    Memory: a chunk and a line, however long the lines are.
    """
    rest = b""
    while chunk := stream.read(CHUNK_BYTES):
        end = chunk.find(b"\n")
        if end < 0:
            rest += chunk if len(rest) <= LINE_BYTES else b""
            continue
        if len(rest) + end > LINE_BYTES:
            yield (rest + chunk[:end])[:_HEAD_BYTES], True
            rest, chunk = b"", chunk[end + 1 :]
        last = chunk.rfind(b"\n")
        if last >= 0:
            yield rest + chunk[:last], False
            rest = b""
        rest += chunk[last + 1 :]
    if rest:
        is_long = len(rest) > LINE_BYTES
        yield rest[:_HEAD_BYTES] if is_long else rest, is_long


def read_lines(stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
    """Every line as a record, without its line end (`\\n` or `\\r\\n`), or malformed."""
    number = first
    for block, is_long in whole_lines(stream):
        if is_long:
            yield too_long(number, block, encoding)
            number += 1
            continue
        text = _decoded(block, encoding)
        if text is None:
            lines: list[Any] = block.split(b"\n")
            yield from map(read_line, lines, repeat(encoding), count(number))
        else:
            lines = text.split("\n")
            yield from map(_make_record, zip(count(number), repeat(0), lines))
        number += len(lines)


def read_line(line: bytes, encoding: str, number: int) -> Entry:
    """One line as a record, or malformed."""
    try:
        text = line.decode(encoding).removesuffix("\r")
    except UnicodeDecodeError as error:
        detail = f"byte {error.start + 1} of the line, 0x{line[error.start]:02x}, is not {encoding}"
        return Malformed(number, "undecodable", detail, excerpt(line[:_HEAD_BYTES].decode(encoding, "replace")))
    if "\0" in text:
        detail = f"character {text.index(chr(0)) + 1} is NUL"
        return Malformed(number, "control_characters", detail, excerpt(text))
    return Text(number, 0, text)


def too_long(number: int, head: bytes, encoding: str) -> Malformed:
    """What is said of a line of which only the head was kept."""
    detail = f"the line is longer than {LINE_BYTES} bytes"
    return Malformed(number, "too_long", detail, excerpt(head.decode(encoding, "replace")))


def _decoded(block: bytes, encoding: str) -> str | None:
    """The block's text without carriage returns at the line ends; None where a line of it needs a closer look."""
    try:
        text = block.decode(encoding)
    except UnicodeDecodeError:
        return None
    if "\0" in text:
        return None
    return text.replace("\r\n", "\n").removesuffix("\r") if "\r" in text else text
