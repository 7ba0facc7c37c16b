import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import places, read, reasons, texts

from conceptloom.errors import ConfigError
from conceptloom.readers import Malformed, Text, make_reader
from conceptloom.readers.fields import parse_path

JSONL = make_reader("jsonl", {})
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


@given(st.lists(TEXT), st.booleans())
def test_the_texts_are_those_of_the_standard_parser(sentences: list[str], ascii_only: bool) -> None:
    lines = [json.dumps({"id": 1, "text": text}, ensure_ascii=ascii_only) for text in sentences]
    assert texts(read(JSONL, "\n".join(lines).encode())) == [json.loads(line)["text"] for line in lines]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"text": "a"', "broken_json"),
        ("[" * 200_000, "broken_json"),
        ('{"text": ' + "[" * 200_000 + "]" * 200_000 + "}", "broken_json"),
        ('{"texts": "a"}', "missing_field"),
        ("{}", "missing_field"),
        ('{"text": null}', "wrong_type"),
        ('{"text": 1e400}', "wrong_type"),
        ('{"text": NaN}', "wrong_type"),
        ('{"text": ["a"]}', "wrong_type"),
        ('["text"]', "wrong_type"),
        ("7", "wrong_type"),
        (r'{"text": "\ud800"}', "undecodable"),
        (r'{"text": "a\udc00b"}', "undecodable"),
        (r'{"text": "a\u0000"}', "control_characters"),
        ('{"text": "a\0"}', "control_characters"),
        ('{"text": "' + "a" * (1 << 20) + '"}', "too_long"),
        (r'{"\ud800": "a"}', "missing_field"),
    ],
)
def test_a_bad_line_is_malformed_and_the_rest_is_read(line: str, reason: str) -> None:
    entries = read(JSONL, f'{{"text": "before"}}\n{line}\n{{"text": "after"}}'.encode())
    assert (texts(entries), reasons(entries)) == (["before", "after"], ["", reason, ""])
    malformed = entries[1]
    assert isinstance(malformed, Malformed) and malformed.record == 2
    assert len(malformed.detail.encode()) and len(malformed.text.encode()) and len(malformed.text) <= 200


@pytest.mark.parametrize(
    ("line", "item"),
    [("[", None), ("{}", None), ("7", None), ('{"text": null}', 0), (r'{"text": "\ud800"}', 0), ('{"text": "\0"}', 0)],
)
def test_whether_the_whole_record_is_malformed(line: str, item: int | None) -> None:
    (entry,) = read(make_reader("jsonl", {}), line.replace("\0", r"\u0000").encode())
    assert isinstance(entry, Malformed) and entry.item == item


@pytest.mark.parametrize("number", ["1" * 10_000, "1e400", "-Infinity", "NaN", "1" * 5000 + ".5"])
def test_no_number_is_in_the_way(number: str) -> None:
    assert texts(read(JSONL, f'{{"score": {number}, "text": "a"}}'.encode())) == ["a"]


def test_a_pair_of_escaped_surrogates_is_one_character() -> None:
    assert texts(read(JSONL, rb'{"text": "\ud83d\ude00"}')) == ["😀"]


def test_a_blank_line_is_a_record_without_text() -> None:
    assert read(JSONL, b'\n  \r\n{"text": ""}') == [Text(1, 0, ""), Text(2, 0, ""), Text(3, 0, "")]


def test_a_path_leads_into_objects_and_lists() -> None:
    content = (
        b'{"body": {"said": [{"words": "a"}, {"word": 1}, {"words": null}, {"words": "b"}]}}\n{"body": {"said": []}}'
    )
    reader = make_reader("jsonl", {"field": "body.said[].words"})
    entries = read(reader, content)
    assert (texts(entries), places(entries)) == (["a", "b"], [(1, 0), (1, 3)])
    assert reasons(entries) == ["", "missing_field", "wrong_type", "", "missing_field"]
    assert [entry.item for entry in entries] == [0, 1, 2, 3, None]
    assert entries[1].detail == "there is no body.said[1].words, but word"
    assert reader.field(3) == "body.said[3].words"


def test_the_record_itself_may_be_the_text() -> None:
    assert texts(read(make_reader("jsonl", {"field": ""}), b'"a"\n"b"')) == ["a", "b"]
    assert texts(read(make_reader("jsonl", {"field": "[]"}), b'["a", "b"]')) == ["a", "b"]


@pytest.mark.parametrize("path", [".", "a..b", "a.", "a[].b[]", "a.[]", "a[0]x["])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    with pytest.raises(ConfigError, match="field"):
        parse_path(path)
