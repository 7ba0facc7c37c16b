"""One large JSON document, a record at a time: its text is buffered and each record parsed by the standard library.

Why not ijson: its fast back end replaces half a surrogate pair by '?' in silence, and gives up the whole file for one
undecodable byte, a NaN or a number like 1e400. Here the first two spoil one record, and numbers spoil none.
A record that is no JSON spoils itself only, where its end can be found.
"""

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from conceptloom.errors import InputError
from conceptloom.readers.base import Entry, Malformed
from conceptloom.readers.encoding import SURROGATE_ERRORS
from conceptloom.readers.fields import Steps, texts_at
from conceptloom.readers.jsonl import DECODER
from conceptloom.readers.resync import ElementEnd
from conceptloom.readers.texts import EXCERPT, excerpt

CHUNK_BYTES = 1 << 16
RECORD_CHARACTERS = 1 << 26
_BLANK = re.compile(r"[ \t\r\n]*")
_LONGEST_TOKEN = 16  # what is this near to the end of the buffer may go on behind it: 1 as 1.5, tru as true
_MISSING = object()


class UnreadableError(InputError):
    """A value that cannot be read; `malformed` says so of a record, where what is behind it can be read."""

    malformed: Malformed


class Cursor:
    """A place in a JSON document that is still being read. `record` numbers what is read, for messages."""

    def __init__(self, stream: BinaryIO, encoding: str, record: int) -> None:
        self.record = record
        self.raw = ""
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)(errors=SURROGATE_ERRORS)
        self._text, self._at, self._ended = "", 0, False

    def peek(self) -> str:
        """The next character that is not blank; '' at the end of the document."""
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def take(self, wanted: str) -> str:
        """The next character, which must be one of those wanted."""
        found = self.peek()
        if not found:
            raise self._cut_off()
        if found not in wanted:
            raise self._broken(f"expecting {' or '.join(wanted)}")
        self._at += 1
        return found

    def value(self) -> Any:
        """The next whole value; the start of its text is left in `raw`."""
        if not self.peek():
            raise self._cut_off()
        self.raw = ""
        value, end = self._try_value()
        while end < 0 or (end + _LONGEST_TOKEN > len(self._text) and not self._ended):
            self._more()
            value, end = self._try_value()
        self.raw, self._at = self._text[self._at : min(end, self._at + EXCERPT)], end
        return value

    def element(self, closing: str) -> Any:
        """The next value of an array or object; the UnreadableError that it is where only this element cannot be read.

        The cursor is then where the element ends. Raises the UnreadableError where no end is found: there is no telling
        how many records the element would swallow.
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
        """Passes over the next value; an array or object is not held as a whole."""
        within = {"[": ("item",), "{": ("*",)}.get(self.peek(), ())
        for value in walk(self, within):
            if isinstance(value, UnreadableError):
                raise value

    def finish(self) -> None:
        """Raises InputError when anything follows the document."""
        if self.peek():
            raise self._broken("something follows the end of the document")

    def _try_value(self) -> tuple[Any, int]:
        """The value at this place and where it ends; -1 where the buffer ends first."""
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
        """Reads on, as much again as there is, so that trying a long value again and again stays linear."""
        pending = len(self._text) - self._at
        if pending >= RECORD_CHARACTERS:
            what = f"longer than {RECORD_CHARACTERS} characters"
            raise self._unreadable("too_long", what, f"record {self.record} is {what}; cut it up")
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
        cure = "mend the file there, or write it as JSON lines, where one broken record does not spoil the rest"
        what = f"{what} near {near!r}"
        return self._unreadable("broken_json", what, f"record {self.record} is broken JSON: {what}; {cure}")

    def _unreadable(self, reason: str, detail: str, message: str) -> UnreadableError:
        error = UnreadableError(message)
        start = self.raw or self._text[self._at : self._at + EXCERPT]
        error.malformed = Malformed(self.record, reason, excerpt(detail), excerpt(start))
        return error


def walk(cursor: Cursor, steps: tuple[str, ...], closing: str = "") -> Iterator[Any]:
    """The values that a prefix names, as ijson writes them: `item` is each element of an array, a key is its member.

    `*` is every member of an object. Where the prefix leads nowhere a mark stands in for the value. For one that cannot
    be read stands the UnreadableError, if it is within an array or object: `closing` is the bracket that ends that.
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
    """The texts of each record of a JSON document. Memory: one record, of RECORD_CHARACTERS at most."""
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


def _walk_array(cursor: Cursor, steps: tuple[str, ...]) -> Iterator[Any]:
    cursor.take("[")
    if cursor.peek() == "]":
        cursor.take("]")
        return
    yield from walk(cursor, steps, "]")
    while cursor.take(",]") == ",":
        yield from walk(cursor, steps, "]")


def _walk_object(cursor: Cursor, steps: tuple[str, ...]) -> Iterator[Any]:
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
    key: str = cursor.value()
    cursor.take(":")
    return key
