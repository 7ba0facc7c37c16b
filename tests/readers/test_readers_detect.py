import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptloom.errors import InputError
from conceptloom.readers import READERS, find_format

CAPTIONS = json.dumps([{"file_path": "a.jpg", "captions": ["a"], "id": 1, "caption_ko": ["가"]}], ensure_ascii=False)
DIALOGUE = {"header": {"dialogueInfo": {"topic": "x"}}, "body": {"dialogue": [{"utterance": "가"}], "summary": "나"}}
DIALOGUES = {"numberOfItems": 1, "data": [DIALOGUE]}


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("a.json", CAPTIONS, "aihub-captions"),
        ("a", CAPTIONS[:-4], "aihub-captions"),
        ("a.json", json.dumps([{"caption_ko": ["x" * 70_000]}])[:65_536], "aihub-captions"),
        ("a.json", json.dumps(DIALOGUES), "aihub-dialogues"),
        ("a.txt", json.dumps(DIALOGUES, indent=2), "aihub-dialogues"),
        ("a.json", json.dumps({"numberOfItems": 1, "data": [DIALOGUE] * 999})[:65_536], "aihub-dialogues"),
        ("a.txt", '{"concept-set": "a#b", "scene": "x"}\n', "published"),
        ("a", '{"scene": ["x"], "concept_set": "a"}', "published"),
        ("a", "[SOS] a#b = x [EOS]\n", "published"),
        ("a.json", '{"text": "a"}\n{"text": "b"}', "jsonl"),
        ("a.jsonl", '{"text": "a"}', "jsonl"),
        ("a.jsonl.gz", '["a"', "jsonl"),
        ("a.jsonl", '{"text": "' + "x" * 65_526, "jsonl"),
        ("a.json", ' [\n {"text": "a"},', "json"),
        ("a.txt", '[["a", "b"]]', "json"),
        ("a.json", "[]", "json"),
        ("a.csv", "[SOS],b", "table"),
        ("dir.x/A.TSV.gz", "a\tb", "table"),
        ("a.txt", "a,b\n", "lines"),
        ("a.txt", '["그래" 하고 말했다.\n', "lines"),
        ("a.txt", "[속보] 비가 온다.\n", "lines"),
        ("a", "", "lines"),
        ("a.jsonl", "", "jsonl"),
    ],
)
def test_the_format_is_found(path: str, content: str, expected: str) -> None:
    for encoding in ("utf-8", "utf-8-sig", "cp949", "utf-16"):
        assert find_format(path, content.encode(encoding)) == expected
    for encoding in ("utf-16-le", "utf-16-be", "utf-8"):
        assert find_format(path, f"\ufeff{content}".encode(encoding), encoding) == expected
        assert find_format(path, content.encode(encoding), encoding) == expected


@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("a.json", b'{"info": 1, "annotations": [{"caption": "a"}]}'),
        ("a.txt", b'{\n "info": 1,\n "annotations": ['),
        ("a.json", b"plain"),
        ("a.txt", "가나다라\n".encode("utf-16-le") + "abc".encode("utf-16-le")),
    ],
)
def test_an_unclear_format_is_an_error_that_says_what_to_write(path: str, head: bytes) -> None:
    with pytest.raises(
        InputError, match=rf"^{path}: .*--input NAME:FORMAT={path}, .*one of activitynet, aihub-captions, .*table"
    ):
        find_format(path, head)


@pytest.mark.parametrize("head", [b"PK\x03\x04rest", b"PAR1rest", b"%PDF-1.4"])
def test_other_kinds_of_files_are_named(head: bytes) -> None:
    with pytest.raises(InputError, match=r"a.txt: this is a .*; unpack or convert"):
        find_format("a.txt", head)


@given(st.binary() | st.text().map(str.encode) | st.binary().map(lambda tail: b"[{" + tail))
def test_whatever_the_content_a_registered_format_or_an_input_error_comes(head: bytes) -> None:
    with suppress(InputError):
        assert find_format("a", head) in READERS


def test_deep_nesting_does_no_harm() -> None:
    assert find_format("a", b"[" * 65_536) == "lines"
    with pytest.raises(InputError):
        find_format("a", b'{"a":' * 10_000)
