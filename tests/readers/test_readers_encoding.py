import codecs
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import read_path, reasons, texts

from conceptloom.errors import ConfigError
from conceptloom.readers import find_encoding, make_reader
from conceptloom.readers.encoding import is_splittable, to_splittable

SENTENCE = "두 사람이 우산을 쓰고 걷는다.\n값싼 뷁\n"
LINES = make_reader("lines", {})


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
@pytest.mark.parametrize("cut", range(6))
def test_the_encoding_is_found_even_where_the_head_ends_in_a_character(encoding: str, cut: int) -> None:
    content = SENTENCE.encode(encoding)
    assert find_encoding(content[: len(content) - 3 - cut]) == encoding


def test_utf_8_wins_where_nothing_tells() -> None:
    assert find_encoding(b"plain") == find_encoding(b"") == find_encoding(b"\xff") == "utf-8"


def test_a_few_broken_lines_do_not_change_the_encoding() -> None:
    assert find_encoding(SENTENCE.encode() + "뷁\n".encode("cp949") + SENTENCE.encode()) == "utf-8"
    assert find_encoding(SENTENCE.encode("cp949") + b"\xff\xff\n") == "cp949"


SHIFTS = "\x0e\x0f\x1b"
"""What ISO 2022 changes its tables by: as characters of a text they do not come back."""


@given(
    st.text(st.characters(exclude_characters=SHIFTS, exclude_categories=["Cs"])),
    st.sampled_from(["utf-16", "utf-16-le", "utf-32", "shift_jis", "iso2022_kr"]),
)
def test_recoding_keeps_the_text(text: str, encoding: str) -> None:
    content = text.encode(encoding, "replace")
    stream, name = to_splittable(io.BytesIO(content), encoding)
    assert (
        stream.read() == content.decode(encoding).removeprefix("\ufeff").encode()
        and codecs.lookup(name).name == "utf-8"
    )


@pytest.mark.parametrize(("encoding", "expected"), [("EUC-KR", True), ("latin-1", True), ("utf-16", False)])
def test_which_encodings_lines_can_be_cut_from(encoding: str, expected: bool) -> None:
    assert is_splittable(encoding) is expected


@pytest.mark.parametrize("name", ["klingon", "base64", "no\0name"])
def test_an_unknown_encoding_is_named(name: str) -> None:
    with pytest.raises(ConfigError, match="encoding"):
        is_splittable(name)


@pytest.mark.parametrize(
    ("encoding", "written"),
    [("utf-8-sig", "utf-8"), ("utf-8", "utf-8"), ("utf-16", "utf-16-le"), ("utf-16-le", "utf-16-le")],
)
def test_the_mark_at_the_start_is_no_text(encoding: str, written: str, tmp_path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeff첫 줄\n\ufeff둘째".encode(written))
    assert texts(read_path(path, LINES, encoding)) == ["첫 줄", "\ufeff둘째"]


def test_broken_utf_16_spoils_its_line_only(tmp_path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xff\xfe" + "a\n".encode("utf-16-le") + b"\x00\xd8" + "b\nc\n".encode("utf-16-le") + b"x")
    entries = read_path(path, LINES, "utf-16")
    assert reasons(entries) == ["", "undecodable", "", "undecodable"]
