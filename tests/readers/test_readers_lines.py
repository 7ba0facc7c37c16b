import io
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import read, reasons, texts

from conceptloom.readers import Malformed, Text, linewise, make_reader
from conceptloom.readers.texts import EXCERPT

LINES = make_reader("lines", {})
CONTENT = st.lists(
    st.sampled_from([b"a", "강".encode(), b"\n", b"\r\n", b"\r", b"\xff", b"\0", b"\xe2\x80\xa8", b"abc"])
)


def brute_force(content: bytes, limit: int) -> list[tuple[str, str]]:
    """Each line by itself: its text, or the reason why it has none."""
    lines = content.split(b"\n")
    found = []
    for line in lines if lines[-1] else lines[:-1]:
        try:
            text = line.decode()
        except UnicodeDecodeError:
            text = None
        if len(line) > limit:
            found.append(("too_long", ""))
        elif text is None:
            found.append(("undecodable", ""))
        elif "\0" in text:
            found.append(("control_characters", ""))
        else:
            found.append(("", text[:-1] if text.endswith("\r") else text))
    return found


@given(CONTENT, st.integers(1, 9), st.integers(0, 9))
def test_lines_are_those_of_a_split_at_line_feeds(parts: list[bytes], chunk: int, more: int) -> None:
    content = b"".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linewise, "CHUNK_BYTES", chunk)
        patch.setattr(linewise, "LINE_BYTES", chunk + more)
        entries = read(LINES, content)
    expected = brute_force(content, chunk + more)
    assert [entry.record for entry in entries] == list(range(1, len(expected) + 1))
    assert [(e.reason, "") if isinstance(e, Malformed) else ("", e.text) for e in entries] == expected


def test_records_count_on_from_the_first() -> None:
    assert read(LINES, b"a\nb", first=7) == [Text(7, 0, "a"), Text(8, 0, "b")]
    assert LINES.field(0) == ""


def test_unicode_line_separators_are_part_of_a_line() -> None:
    text = "a\x0b\x0c\x1c\x85\u2028\u2029b"
    assert texts(read(LINES, text.encode())) == [text]


def test_an_undecodable_line_spoils_only_itself_and_names_the_byte() -> None:
    before, broken, after = read(LINES, "가\n나\n".encode() + b"\xea\xb0a\xff\n" + b"c", first=1)[1:]
    assert (before.text, after.text) == ("나", "c")
    assert broken == Malformed(3, "undecodable", "byte 1 of the line, 0xea, is not utf-8", r"\xea\xb0a\xff")


def test_cp949_lines_are_decoded_and_a_broken_one_is_malformed() -> None:
    entries = read(LINES, "값이 싸다\n".encode("cp949") + b"\xb0\n" + "뷁".encode("cp949"), "cp949")
    assert (texts(entries), reasons(entries)) == (["값이 싸다", "뷁"], ["", "undecodable", ""])


def test_a_line_that_cannot_be_written_is_kept_whole() -> None:
    (entry,) = read(LINES, "강".encode() * 500 + b"\\\0\xff\r\n")
    assert entry.text == "강" * 500 + r"\\\0\xff"
    assert read(LINES, b"a\0b")[0].text == r"a\0b"


class Endless(io.RawIOBase):
    """`size` bytes without a line feed, then one and a short line."""

    def __init__(self, size: int) -> None:
        self.left = size

    def read(self, size: int = -1) -> bytes:
        if self.left < 0:
            return b""
        given, self.left = min(size, self.left), self.left - size
        return b"x" * given + (b"\nend" if self.left < 0 else b"")


def test_the_memory_for_a_long_line_is_bounded() -> None:
    tracemalloc.start()
    entries = list(LINES.read(Endless(100 << 20), "utf-8", 1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert reasons(entries) == ["too_long", ""]
    assert (entries[0].text, entries[1].text) == ("x" * EXCERPT, "end")
    assert peak < 8 << 20


def test_a_line_may_have_just_the_limit() -> None:
    limit = linewise.LINE_BYTES
    assert reasons(read(LINES, b"x" * limit + b"\n" + b"y" * (limit + 1))) == ["", "too_long"]
