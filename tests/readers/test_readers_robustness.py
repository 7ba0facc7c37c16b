from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import read

from conceptloom.errors import InputError
from conceptloom.readers import READERS, REASONS, Entry, Malformed, Text, make_reader

PIECES = st.sampled_from(
    [
        *[
            b"[",
            b"]",
            b"{",
            b"}",
            b'"',
            b":",
            b",",
            b"\\",
            b"\\ud800",
            b"\0",
            b"\xff",
            b"\n",
            b"\r",
            b"1e400",
            b"NaN",
            b"\t",
        ],
        *[
            b'{"text": ',
            b'{"caption_ko": [',
            b'{"data": [{"body": {"summary": ',
            b'"concept-set": "a#b"',
            b"[SOS] a = b [EOS]",
        ],
    ]
)

WHOLE = ("undecodable", "control_characters")


@given(st.sampled_from(list(READERS)), st.lists(PIECES | st.binary(max_size=3), max_size=30).map(b"".join))
@settings(max_examples=1000)
@pytest.mark.slow
def test_any_bytes_give_records_reasons_or_an_input_error(format: str, content: bytes) -> None:
    reader = make_reader(format, {"column": 1} if format == "table" else {})
    entries: list[Entry] = []
    with suppress(InputError):
        entries = read(reader, content)
    for entry in entries:
        assert isinstance(entry, Text) or (entry.reason in REASONS and entry.detail)
        # An excerpt has 200 characters, of which each may be escaped.
        assert not isinstance(entry, Malformed) or entry.reason in WHOLE or len(entry.text) <= 6 * 200
        assert "\0" not in entry.text and isinstance(entry.text.encode(), bytes)
        assert not isinstance(entry, Malformed) or len(entry.detail.encode()) < 1000
