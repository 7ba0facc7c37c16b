"""Checks that every reader applies to its texts, and how texts that failed them are written."""

import re

from conceptloom.readers.base import Entry, Malformed, Text
from conceptloom.readers.encoding import BYTE_MARK

EXCERPT = 200
_UNWRITABLE = re.compile("[\ud800-\udfff\0]")
_ESCAPED = re.compile(f"{BYTE_MARK}([\udc00-\udcff])|[\ud800-\udfff]|[\0\\\\]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def escaped(text: str) -> str:
    """Returns a text in a form that can be written to a file, and from which the text and its bytes can be restored.

    Where something in it cannot be written, an undecodable byte is `\\xNN`, NUL is `\\0`, half a surrogate pair is
    `\\uNNNN`, and a backslash is doubled. Any other text stays as it is.
    """
    return _ESCAPED.sub(_escape, text) if _UNWRITABLE.search(text) else text


def excerpt(text: str) -> str:
    """Returns the first characters of a text, `escaped`."""
    return escaped(text[:EXCERPT].removesuffix(BYTE_MARK))


def checked(record: int, item: int, text: str, name: str = "") -> Entry:
    """Returns a Text, or a Malformed if the text holds a NUL or a surrogate, which no encoding can represent."""
    place = f"{name}: " if name else ""
    if "\0" in text:
        detail = f"{place}character {text.index(chr(0)) + 1} is NUL"
        return Malformed(record, "control_characters", excerpt(detail), escaped(text), item)
    if found := _SURROGATE.search(text):
        detail = f"{place}character {found.start() + 1} is half a surrogate pair or was not decodable"
        return Malformed(record, "undecodable", excerpt(detail), escaped(text), item)
    return Text(record, item, text)


def _escape(found: re.Match[str]) -> str:
    if found[1]:
        return f"\\x{ord(found[1]) - 0xDC00:02x}"
    return {"\0": "\\0", "\\": "\\\\"}.get(found[0]) or f"\\u{ord(found[0]):04x}"
