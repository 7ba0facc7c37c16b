"""Texts that cannot be written as they are: each is kept in a form that gives its bytes back."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reading import read_path

from conceptloom.annotation import Rejected, read_answers
from conceptloom.annotation.answers import parse_columns
from conceptloom.readers import Malformed, Text, make_reader
from conceptloom.readers.texts import EXCERPT, checked, escaped, excerpt

BROKEN = {
    "utf-8": b"caf\xe9 \\x41 \xea\xb0 \xff\xfe",
    "cp949": "값 \\".encode("cp949") + b"\xff \xb0 x",
    "cp1252": b"caf\xe9 \x81 \\ \x8d",
    "utf-16-le": "값 \\".encode("utf-16-le") + b"\x00\xd8" + "x".encode("utf-16-le") + b"\xa9\xdc",
    "utf-32-be": "값 \\".encode("utf-32-be") + b"\x00\x11\x00\x00" + "x".encode("utf-32-be"),
}
"""A sentence of each encoding with bytes that are not, and with a backslash that is one."""


def restored(text: str, encoding: str) -> bytes:
    """The bytes of a text as the documentation says that they are written."""
    parts = re.split(r"\\(x[0-9a-f]{2}|\\|0)", text)
    plain = [part.encode(encoding) for part in parts[::2]]
    characters = {"\\": "\\", "0": "\0"}
    marked = [characters[p].encode(encoding) if p in characters else bytes([int(p[1:], 16)]) for p in parts[1::2]]
    return b"".join(a + b for a, b in zip(plain, [*marked, b""], strict=True))


def decodes(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


@given(
    st.lists(st.binary(max_size=4) | st.sampled_from(["강\\".encode(), b"\\x", b"\xed\xb2\x80"])).map(b"".join),
    st.sampled_from(["utf-8", "ascii", "cp949", "cp1252", "utf-16-le", "utf-16-be", "utf-32-le"]),
)
@example(b"\x00\xd8", "utf-16-le")
def test_a_line_gives_its_bytes_back(tmp_path_factory, content: bytes, encoding: str) -> None:
    content = content.replace(b"\n", b"").replace(b"\r", b"").removeprefix(b"\xef\xbb\xbf")
    path = tmp_path_factory.mktemp("bytes") / "a.txt"
    path.write_bytes(content)
    for entry in read_path(path, make_reader("lines", {}), encoding):
        if isinstance(entry, Text):
            assert entry.text == content.decode(encoding) and "\0" not in entry.text
        else:
            assert restored(entry.text, encoding) == content
            assert entry.reason == ("undecodable" if not decodes(content, encoding) else "control_characters")


def as_csv(record: dict[str, str]) -> str:
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL).writerows([record, record.values()])
    return written.getvalue()


def without_backslash(encoding: str) -> bytes:
    """The broken sentence as it can stand in JSON."""
    return BROKEN[encoding].replace("\\".encode(encoding), b"")


def with_bytes(text: str, encoding: str) -> bytes:
    """A file of the encoding that has the broken sentence where the text has HERE."""
    before, after = text.split("HERE")
    return before.encode(encoding) + without_backslash(encoding) + after.encode(encoding)


FORMATS = {
    "table": (as_csv({"text": "HERE"}), {"column": "text"}),
    "json": ('[{"text": "HERE"}]', {}),
}


@pytest.mark.parametrize("encoding", BROKEN)
@pytest.mark.parametrize("kind", FORMATS)
def test_a_cell_and_a_json_text_give_their_bytes_back(tmp_path: Path, kind: str, encoding: str) -> None:
    content, options = FORMATS[kind]
    (tmp_path / "a").write_bytes(with_bytes(content, encoding))
    (entry,) = read_path(tmp_path / "a", make_reader(kind, options), encoding)
    assert isinstance(entry, Malformed) and entry.reason == "undecodable"
    assert restored(entry.text, encoding) == without_backslash(encoding)


@pytest.mark.parametrize("encoding", BROKEN)
@pytest.mark.parametrize("kind", ["csv", "array", "lines"])
def test_an_answer_gives_its_bytes_back(tmp_path: Path, kind: str, encoding: str) -> None:
    record = {"id": "i", "sentence": "HERE", "rationale": "", "worker": "w"}
    text = {"csv": as_csv(record), "array": json.dumps([record]), "lines": json.dumps(record)}[kind]
    content = with_bytes(text, encoding)
    (tmp_path / "filled").write_bytes(content)
    (found,) = read_answers(str(tmp_path / "filled"), parse_columns([]), encoding)
    assert isinstance(found, Rejected) and found.reason == "undecodable"
    # Of JSON lines nothing is known but the line.
    wanted = content if kind == "lines" else without_backslash(encoding)
    assert restored(found.answer.sentence, encoding) == wanted
    assert (found.answer.task, found.answer.worker) == (("", "") if kind == "lines" else ("i", "w"))


def test_half_a_surrogate_pair_is_no_byte() -> None:
    half = checked(1, 0, "a\udca9b\\")
    assert half.text == r"a\udca9b\\"
    assert escaped("a\\xe9") == "a\\xe9"  # nothing in it had to be escaped


@given(st.text(st.sampled_from("a강\\\0\ud800\udca9"), min_size=EXCERPT - 2, max_size=EXCERPT + 3))
def test_an_excerpt_is_short_and_can_be_written(text: str) -> None:
    assert excerpt(text).encode() and len(excerpt(text)) <= 6 * EXCERPT
    assert excerpt("강" * (EXCERPT - 1) + "\udfff\udce9") == "강" * (EXCERPT - 1)
