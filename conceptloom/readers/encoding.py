"""Encodings: detecting that of a file, and recoding any of them to one in which lines can be found."""

import codecs
import io
from typing import BinaryIO

from conceptloom.errors import ConfigError

SURROGATE_ERRORS = "conceptloom.surrogate"
"""An error handler: undecodable bytes become one lone surrogate, which `texts.checked` rejects later."""

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


def to_splittable(stream: BinaryIO, encoding: str) -> tuple[BinaryIO, str]:
    """Returns the stream in an encoding in which lines can be found, and that encoding: as it is, or recoded to UTF-8.

    The byte-order mark must have been removed, except for UTF-16, whose decoder needs it.
    """
    name = python_name(encoding)
    if name == "utf-8-sig":
        return stream, "utf-8"
    if name in _ASCII_INSIDE:
        return stream, name
    return io.BufferedReader(_Recoded(stream, name), _CHUNK), "utf-8"


def _decodes(line: bytes, encoding: str) -> bool:
    """Returns whether a line has decodable characters beyond ASCII.

    The head may end within a character; such a part of a character is no evidence.
    """
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(line, final=line.endswith(b"\n"))
    except UnicodeDecodeError:
        return False
    return not text.isascii()


def _to_surrogate(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "\udcff", error.end


codecs.register_error(SURROGATE_ERRORS, _to_surrogate)


class _Recoded(io.RawIOBase):
    """Recodes any encoding to UTF-8; undecodable bytes become invalid UTF-8, which the reader then finds."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)(errors=SURROGATE_ERRORS)
        self._ready = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready and not self._ended:
            chunk = self._stream.read(_CHUNK)
            self._ended = not chunk
            self._ready = self._decoder.decode(chunk, final=self._ended).encode("utf-8", "surrogatepass")
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size
