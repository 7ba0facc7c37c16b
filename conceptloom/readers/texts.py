"""Checks that every reader applies to its texts, and excerpts of what failed them."""

import re

from conceptloom.readers.base import Entry, Malformed, Text

EXCERPT = 200
_UNPRINTABLE = re.compile("[\ud800-\udfff\0]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def excerpt(text: str) -> str:
    """Returns the first characters of a text, in a form that can be written to a file."""
    return _UNPRINTABLE.sub("\ufffd", text[:EXCERPT])


def checked(record: int, item: int, text: str, name: str = "") -> Entry:
    """Returns a Text, or a Malformed if the text holds a NUL or a surrogate, which no encoding can represent."""
    place = f"{name}: " if name else ""
    if "\0" in text:
        detail = f"{place}character {text.index(chr(0)) + 1} is NUL"
        return Malformed(record, "control_characters", excerpt(detail), excerpt(text), item)
    if found := _SURROGATE.search(text):
        detail = f"{place}character {found.start() + 1} is half a surrogate pair or was not decodable"
        return Malformed(record, "undecodable", excerpt(detail), excerpt(text), item)
    return Text(record, item, text)
