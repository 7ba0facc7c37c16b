"""Reads one large JSON document a record at a time: buffers its text, and parses each record by the standard library.

Why not ijson: its fast back end silently replaces half a surrogate pair by '?', and gives up the whole file for one
undecodable byte, a NaN or a number like 1e400. Here the first two spoil one record, and numbers spoil none.
A record that is not JSON spoils only itself, provided that its end can be found.
"""

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from conceptloom.errors import InputError
from conceptloom.readers.base import Entry, Malformed
from conceptloom.readers.encoding import errors_of
from conceptloom.readers.fields import Steps, texts_at
from conceptloom.readers.jsonl import DECODER
from conceptloom.readers.resync import ElementEnd
from conceptloom.readers.texts import EXCERPT, excerpt

CHUNK_BYTES = 1 << 16
RECORD_CHARACTERS = 1 << 26
_BLANK = re.compile(r"[ \t\r\n]*")
_LONGEST_TOKEN = 16  # a token this close to the end of the buffer may continue beyond it: 1 as 1.5, tru as true
_MISSING = object()


class UnreadableError(InputError):
    """A value that cannot be read; `malformed` is the entry for it if what follows can still be read."""

    malformed: Malformed


class Cursor:
    """A position in a JSON document that is being read. `record` is the number of the current record, for messages."""

    def __init__(self, stream: BinaryIO, encoding: str, record: int) -> None:
        self.record = record
        self.raw = ""
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)(errors=errors_of(encoding))
        self._text, self._at, self._ended = "", 0, False

    def peek(self) -> str:
        """Returns the next character that is not blank, or '' at the end of the document."""
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def take(self, wanted: str) -> str:
        """Consumes and returns the next character that is not blank; raises InputError if it is not one of `wanted`."""
        found = self.peek()
        if not found:
            raise self._cut_off()
        if found not in wanted:
            raise self._broken(f"expecting {' or '.join(wanted)}")
        self._at += 1
        return found

    def value(self) -> object:
        """Returns the next whole value, and sets `raw` to the start of its text."""
        if not self.peek():
            raise self._cut_off()
        self.raw = ""
        value, end = self._try_value()
        while end < 0 or (end + _LONGEST_TOKEN > len(self._text) and not self._ended):
            self._more()
            value, end = self._try_value()
        self.raw, self._at = self._text[self._at : min(end, self._at + EXCERPT)], end
        return value

    def element(self, closing: str) -> object:
        """Returns the next value of an array or object, or an UnreadableError if only this element cannot be read.

        In either case the cursor is then at the end of the element. Raises the UnreadableError if no end is found,
        because the element could swallow any number of records.
        """
        try:
            value = self.value()
            found = self.peek()
            if found in ("", ",", closing):
                return value
            error = self._broken(f"expecting , or {closing}")
        except UnreadableError as unreadable:
            error = unreadable
        end = ElementEnd(closing)
        while (at := end.find(self._text, self._at)) < 0:
            self._at = len(self._text)
            if end.is_lost or not self._more():
                raise error
        self._at = at
        return error

    def skip(self) -> None:
        """Skips the next value, without holding a whole array or object in memory."""
        within = {"[": ("item",), "{": ("*",)}.get(self.peek(), ())
        for value in walk(self, within):
            if isinstance(value, UnreadableError):
                raise value

    def finish(self) -> None:
        """Raises InputError if anything follows the document."""
        if self.peek():
            raise self._broken("something follows the end of the document")

    def _try_value(self) -> tuple[object, int]:
        """Returns the value at the cursor and where it ends, or -1 if the buffer ends first."""
        try:
            return DECODER.raw_decode(self._text, self._at)
        except json.JSONDecodeError as error:
            is_cut = error.msg.startswith("Unterminated") or error.pos >= len(self._text)
            if not self._ended and (is_cut or error.pos + _LONGEST_TOKEN > len(self._text)):
                return None, -1
            raise self._cut_off() if is_cut else self._broken(error.msg, error.pos) from error
        except (RecursionError, MemoryError) as error:
            message = f"record {self.record} is nested too deeply to be read; remove it"
            raise self._unreadable("broken_json", "nested too deeply", message) from error

    def _more(self) -> bool:
        """Doubles the buffer, so that retrying a long value stays linear; returns False at the end of the file."""
        pending = len(self._text) - self._at
        if pending >= RECORD_CHARACTERS:
            what = f"longer than {RECORD_CHARACTERS} characters"
            raise self._unreadable("too_long", what, f"record {self.record} is {what}; split it")
        chunk = b"" if self._ended else self._stream.read(max(CHUNK_BYTES, pending))
        self._ended = not chunk
        text = self._decoder.decode(chunk, final=self._ended)
        if text:
            self._text, self._at = self._text[self._at :] + text, 0
        return bool(text or chunk)

    def _cut_off(self) -> InputError:
        return InputError(f"record {self.record} is cut off by the end of the file; get the whole file again")

    def _broken(self, what: str, at: int | None = None) -> UnreadableError:
        start = self._at if at is None else at
        near = excerpt(self._text[max(start - 20, 0) : start + 20])
        cure = "fix the file there, or convert it to JSON lines, where one broken record does not spoil the rest"
        what = f"{what} near {near!r}"
        return self._unreadable("broken_json", what, f"record {self.record} is broken JSON: {what}; {cure}")

    def _unreadable(self, reason: str, detail: str, message: str) -> UnreadableError:
        error = UnreadableError(message)
        start = self.raw or self._text[self._at : self._at + EXCERPT]
        error.malformed = Malformed(self.record, reason, excerpt(detail), excerpt(start))
        return error


def walk(cursor: Cursor, steps: tuple[str, ...], closing: str = "") -> Iterator[object]:
    """Yields the values at a path in ijson's notation: `item` is each element of an array, a key is that member.

    `*` is every member of an object. If the path leads nowhere, yields a marker instead. For a value inside an array or
    object that cannot be read, yields the UnreadableError; `closing` is the bracket that ends that array or object.
    """
    if not steps:
        yield cursor.element(closing) if closing else cursor.value()
    elif cursor.peek() == "[" and steps[0] == "item":
        yield from _walk_array(cursor, steps[1:])
    elif cursor.peek() == "{":
        yield from _walk_object(cursor, steps)
    else:
        cursor.skip()
        yield _MISSING


def read_items(stream: BinaryIO, encoding: str, first: int, items: str, paths: Sequence[Steps]) -> Iterator[Entry]:
    """Yields the texts of each record of a JSON document. Memory: one record, of RECORD_CHARACTERS at most."""
    cursor = Cursor(stream, encoding, first)
    for value in walk(cursor, tuple(items.split(".")) if items else ()):
        if isinstance(value, UnreadableError):
            yield value.malformed
        elif value is _MISSING:
            yield Malformed(cursor.record, "missing_field", f"nothing stands at items={items!r}", excerpt(cursor.raw))
        else:
            yield from texts_at(value, paths, cursor.record, cursor.raw)
        cursor.record += 1
    cursor.finish()


def _walk_array(cursor: Cursor, steps: tuple[str, ...]) -> Iterator[object]:
    cursor.take("[")
    if cursor.peek() == "]":
        cursor.take("]")
        return
    yield from walk(cursor, steps, "]")
    while cursor.take(",]") == ",":
        yield from walk(cursor, steps, "]")


def _walk_object(cursor: Cursor, steps: tuple[str, ...]) -> Iterator[object]:
    key, is_found = steps[0], steps[0] == "*"
    end = cursor.take("{")
    if cursor.peek() == "}":
        end = cursor.take("}")
    while end != "}":
        if key in ("*", _read_key(cursor)):
            is_found = True
            yield from walk(cursor, steps[1:], "}")
        else:
            cursor.skip()
        end = cursor.take(",}")
    if not is_found:
        yield _MISSING


def _read_key(cursor: Cursor) -> str:
    if cursor.peek() != '"':
        cursor.take('"')
    key = cursor.value()
    assert isinstance(key, str)
    cursor.take(":")
    return key
