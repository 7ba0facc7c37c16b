"""Encodings: detecting that of a file, and recoding any of them to one in which lines can be found.

No byte is lost on the way: one that cannot be decoded is two lone surrogates in the text, U+DFFF and U+DC00 + byte.
`texts.checked` finds them, and `texts.escaped` writes them as `\\xNN`. One surrogate, as in Python's
`surrogateescape`, could as well be half a pair that a JSON file writes as an escape.
"""

import codecs
import io
from typing import BinaryIO

from conceptloom.errors import ConfigError

BOM = "\ufeff"
"""The byte-order mark, as a character."""

RECODED = "utf_8"
"""UTF-8, by another of its names, of a stream that was recoded: undecodable bytes are in it as lone surrogates."""

BYTE_MARK = "\udfff"
"""The first of the two surrogates that stand for an undecodable byte."""

_KEEPING_BYTES = "conceptloom.bytes"

_CHUNK = 1 << 18
_ASCII_INSIDE = frozenset({"utf-8", "utf-8-sig", "cp949", "euc_kr", "iso8859-1", "ascii"})


def find_encoding(head: bytes) -> str:
    """Returns the encoding of a file from its first bytes: by its byte-order mark, else UTF-8 or cp949.

    The winner is the one that decodes more of the lines that are not ASCII; UTF-8 in a tie.
    """
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    lines = head.splitlines(keepends=True)
    utf8, cp949 = (sum(_decodes(line, name) for line in lines if not line.isascii()) for name in ("utf-8", "cp949"))
    return "cp949" if cp949 > utf8 else "utf-8"


def python_name(encoding: str) -> str:
    """Returns Python's own name of an encoding; raises ConfigError for an unknown one."""
    try:
        b"text".decode(encoding, "ignore")
        return codecs.lookup(encoding).name
    except (LookupError, ValueError) as error:
        raise ConfigError(f"encoding {encoding!r} is unknown; choose utf-8, cp949, euc-kr, utf-16 …") from error


def is_splittable(encoding: str) -> bool:
    """Returns whether a byte 0x0A is always a line feed, so that lines can be found without decoding."""
    return python_name(encoding) in _ASCII_INSIDE


def errors_of(encoding: str) -> str:
    """Returns the error handler by which a stream of `to_splittable` is decoded, keeping undecodable bytes."""
    return "surrogatepass" if encoding == RECODED else _KEEPING_BYTES


def decode_all(data: bytes, encoding: str) -> str:
    """Returns the text of bytes of a stream of `to_splittable`, with two surrogates for each undecodable byte."""
    return data.decode(encoding, errors_of(encoding))


def to_splittable(stream: BinaryIO, encoding: str) -> tuple[BinaryIO, str]:
    """Returns the stream in an encoding in which lines can be found, and that encoding: as it is, or RECODED.

    The byte-order mark of UTF-8 must have been removed; that of a recoded stream is left out here.
    """
    name = python_name(encoding)
    if name == "utf-8-sig":
        return stream, "utf-8"
    if name in _ASCII_INSIDE:
        return stream, name
    return io.BufferedReader(_Recoded(stream, name), _CHUNK), RECODED


def _decodes(line: bytes, encoding: str) -> bool:
    """Returns whether a line has decodable characters beyond ASCII.

    The head may end within a character; such a part of a character is no evidence.
    """
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(line, final=line.endswith(b"\n"))
    except UnicodeDecodeError:
        return False
    return not text.isascii()


def _to_surrogates(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(BYTE_MARK + chr(0xDC00 + byte) for byte in error.object[error.start : error.end]), error.end


codecs.register_error(_KEEPING_BYTES, _to_surrogates)


class _Recoded(io.RawIOBase):
    """Recodes any encoding to UTF-8; undecodable bytes become surrogates, which the reader then finds."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)(errors=_KEEPING_BYTES)
        self._ready = b""
        self._begun = self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready and not self._ended:
            chunk = self._stream.read(_CHUNK)
            self._ended = not chunk
            text = self._decoder.decode(chunk, final=self._ended)
            if text and not self._begun:
                self._begun, text = True, text.removeprefix(BOM)
            self._ready = text.encode("utf-8", "surrogatepass")
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size
