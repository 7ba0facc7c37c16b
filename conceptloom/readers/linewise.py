"""Lines, fast: decodes a block of whole lines at once, and goes line by line only if something in it is wrong."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, repeat
from typing import BinaryIO

from conceptloom.readers.base import Entry, Malformed, Text
from conceptloom.readers.encoding import BYTE_MARK, RECODED, decode_all
from conceptloom.readers.texts import EXCERPT, escaped, excerpt

CHUNK_BYTES = 1 << 20
LINE_BYTES = 1 << 20
"""Longer lines are malformed."""

_HEAD_BYTES = 4 * EXCERPT  # a character has at most four bytes
# Twice as fast as Text(...), on the hot path.
_make_record: Callable[[tuple[int, int, str]], Text] = partial(tuple.__new__, Text)


def whole_lines(stream: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """Yields (block of whole lines without the last line feed, False), or (head, True) of a line over LINE_BYTES.

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
    """Yields every line as a Text, without its line end (`\\n` or `\\r\\n`), or as a Malformed."""
    number = first
    for block, is_long in whole_lines(stream):
        if is_long:
            yield too_long(number, block, encoding)
            number += 1
            continue
        text = _decoded(block, encoding)
        if text is None:
            raw = block.split(b"\n")
            yield from map(read_line, raw, repeat(encoding), count(number))
            number += len(raw)
        else:
            lines = text.split("\n")
            yield from map(_make_record, zip(count(number), repeat(0), lines))
            number += len(lines)


def read_line(line: bytes, encoding: str, number: int) -> Entry:
    """Returns one line as a Text or a Malformed, which has the whole line (`texts.escaped`)."""
    try:
        text = line.decode(encoding).removesuffix("\r")
    except UnicodeDecodeError as error:
        return _undecodable(number, line, encoding, error.start)
    if "\0" in text:
        detail = f"character {text.index(chr(0)) + 1} is NUL"
        return Malformed(number, "control_characters", detail, escaped(text))
    return Text(number, 0, text)


def _undecodable(number: int, line: bytes, encoding: str, at: int) -> Malformed:
    text = decode_all(line, encoding).removesuffix("\r")
    detail = f"byte {at + 1} of the line, 0x{line[at]:02x}, is not {encoding}"
    if encoding == RECODED:  # its bytes are not those of the file
        detail = f"character {text.index(BYTE_MARK) + 1} of the line is not decodable"
    return Malformed(number, "undecodable", detail, escaped(text))


def too_long(number: int, head: bytes, encoding: str) -> Malformed:
    """Returns the entry for a line that is too long, of which only the head was kept."""
    detail = f"the line is longer than {LINE_BYTES} bytes"
    return Malformed(number, "too_long", detail, excerpt(decode_all(head, encoding)))


def _decoded(block: bytes, encoding: str) -> str | None:
    """Returns the block's text without carriage returns at line ends, or None if its lines must be read one by one."""
    try:
        text = block.decode(encoding)
    except UnicodeDecodeError:
        return None
    if "\0" in text:
        return None
    return text.replace("\r\n", "\n").removesuffix("\r") if "\r" in text else text
