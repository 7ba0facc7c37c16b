import io
import json
import sys
import tracemalloc

import ijson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import places, read, read_path, reasons, texts, zipped

from conceptloom.errors import InputError
from conceptloom.readers import documents, make_reader, resync
from conceptloom.readers.documents import Cursor, walk

JSON = make_reader("json", {})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("ab*") | st.text(max_size=3), inner),
    max_leaves=12,
)


class Dripping(io.BytesIO):
    """A stream that gives a few bytes at a time, so that every token is cut somewhere."""

    def __init__(self, content: bytes, size: int) -> None:
        super().__init__(content)
        self.size = size

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self.size)


def walked(content: bytes, items: str, size: int = 1 << 16) -> list[object]:
    cursor = Cursor(Dripping(content, size), "utf-8", 1)
    found = list(walk(cursor, tuple(items.split(".")) if items else ()))
    cursor.finish()
    return found


@given(st.lists(VALUES), st.integers(1, 9), st.sampled_from([None, 1]), st.booleans())
@pytest.mark.slow
def test_an_array_gives_what_the_standard_parser_gives(values, size: int, indent: int | None, ascii_only: bool) -> None:
    content = json.dumps(values, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert walked(content, "item", size) == json.loads(content, parse_int=float)


@given(VALUES, st.integers(1, 9))
def test_a_skipped_value_leaves_the_cursor_behind_it(value, size: int) -> None:
    content = json.dumps({"x": value, "found": [1, 2]}).encode()
    assert walked(content, "found.item", size) == [1, 2]


@pytest.mark.parametrize("items", ["item", "item.a.item", "a.item", "a", "a.b.item", ""])
@pytest.mark.parametrize(
    "document", [[{"a": ["x", {"b": 1}]}, {"a": ["y"]}], {"a": ["z", 2], "c": 3}, {"a": {"b": [[]]}}]
)
def test_prefixes_mean_what_they_mean_to_ijson(items: str, document: object) -> None:
    content = json.dumps(document).encode()
    found = [value for value in walked(content, items) if value is not documents._MISSING]
    assert found == list(ijson.items(io.BytesIO(content), items, use_float=True))


def test_the_members_of_an_object_are_walked_by_a_star() -> None:
    assert walked(b'{"k": {"t": [1]}, "l": {"t": [2, 3]}}', "*.t.item") == [1, 2, 3]
    assert walked(b"{}", "*") == []


def test_a_bad_record_is_malformed_and_the_rest_is_read() -> None:
    bad = [
        "{}",
        '{"text": null}',
        '{"text": 1e400}',
        '{"text": NaN}',
        r'{"text": "\ud800"}',
        '"text"',
        '{"text": "\xff"}',
    ]
    content = "[" + ", ".join(['{"text": "a"}', *bad, '{"text": "b"}']) + "]"
    entries = read(JSON, content.encode("latin-1"))
    expected = ["missing_field", "wrong_type", "wrong_type", "wrong_type", "undecodable", "wrong_type", "undecodable"]
    assert (texts(entries), reasons(entries)) == (["a", "b"], ["", *expected, ""])
    assert places(entries) == [(1, 0), (9, 0)]


def test_where_nothing_stands_at_the_prefix_one_record_is_malformed() -> None:
    entries = read(make_reader("json", {"items": "data.item"}), b'{"dato": [{"text": "a"}]}')
    assert reasons(entries) == ["missing_field"]
    assert read(JSON, b" [ ] ") == []


WHOLE = '[{"text": "가나"}, {"n": -12.5e3, "o": [true, null], "text": "b\\n\\u00e9"}]'.encode()


@pytest.mark.parametrize("length", range(len(WHOLE)))
def test_a_truncated_document_is_an_error_that_names_the_record(length: int, tmp_path) -> None:
    path = tmp_path / "cut.json"
    path.write_bytes(WHOLE[:length])
    with pytest.raises(InputError, match=r"cut\.json: record [123] is (cut off|broken)"):
        read_path(path, JSON)


@pytest.mark.parametrize(
    "content",
    [
        '[{"text": "a"}] x',
        "{]",
        '[{"text": "a"}, {"text": b, {"text": "c"}]',
        '[{"text": "a}, {"text": "b"}]',
        '{"data": [{"text": a, {"text": "b"}], "n": 1}',
        '[{"text": "a"}}',
    ],
)
def test_a_syntax_error_names_the_record_and_the_cure(content: str) -> None:
    reader = make_reader("json", {"items": "data.item"}) if "data" in content else JSON
    with pytest.raises(InputError, match=r"record \d is broken JSON: .* near .*; fix"):
        read(reader, content.encode())


GOOD = VALUES.map(lambda value: json.dumps({"x": value, "text": "good"}))
BROKEN = st.sampled_from(
    [
        '{"text": "a" "n": 1}',
        '{"text" "a"}',
        '{"text": a}',
        "word",
        "tru",
        '{"text": "a",}',
        '{"text": "a"}}',
        '{"text": ["a"}',
        '{text: "a"}',
        '{1: "a"}',
        "{'text': 'a'}",
        r'{"text": "\q, ]} \" [{"}',
        r'{"text": "\u12x"}',
        '{"text": "a\nb"}',
        '{"text": "a"} {"text": "b"}',
        '"a" b "c, ]"',
        "1.2.3",
        "",
    ]
)


@given(st.lists(st.tuples(st.just(True), GOOD) | st.tuples(st.just(False), BROKEN), min_size=2), st.integers(1, 30))
@pytest.mark.parametrize("items", ["item", "data.item", "*"])
@pytest.mark.slow
def test_a_broken_record_is_malformed_and_the_rest_is_read(items: str, records, size: int) -> None:
    if items == "*":  # there a closing brace too many ends the document
        records = [record for record in records if record[1] != '{"text": "a"}}']
    key = '"k": ' if items == "*" else ""
    body = " ,\n".join(key + text for _, text in records)
    content = {"item": f"[{body}]", "data.item": f'{{"n": [1], "data": [{body}], "m": 1}}', "*": f"{{{body}}}"}[items]
    reader = make_reader("json", {"items": items})
    entries = list(reader.read(Dripping(content.encode(), size), "utf-8", 1))
    assert [entry.record for entry in entries] == list(range(1, len(records) + 1))
    assert reasons(entries) == ["" if is_good else "broken_json" for is_good, _ in records]
    assert {entry.item for entry, (is_good, _) in zip(entries, records, strict=True) if not is_good} <= {None}


def test_a_trailing_comma_is_a_broken_record() -> None:
    assert reasons(read(JSON, b'[{"text": "a"},]')) == ["", "broken_json"]


def test_what_a_broken_record_says() -> None:
    (entry,) = read(make_reader("aihub-captions", {}), b'[{"id": 1, "caption_ko": ["a" "b"]}]')
    detail = 'Expecting \',\' delimiter near \'"caption_ko": ["a" "b"]}]\''
    assert entry[:2] == (1, "broken_json") and entry.text == '{"id": 1, "caption_ko": ["a" "b"]}]'
    assert entry.detail.startswith("Expecting ',' delimiter near ") and detail[-10:] in entry.detail


@pytest.mark.slow
@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a": '])
def test_a_deep_record_is_malformed_and_the_rest_is_read(opening: str) -> None:
    closing = opening.replace('"a":', "").replace(" ", "")[::-1].translate(str.maketrans("[{", "]}"))
    content = f'[{{"text": "a"}}, {opening * 200_000}1{closing * 200_000}, {{"text": "b"}}]'.encode()
    entries = read(JSON, content)
    assert (texts(entries), places(entries)) == (["a", "b"], [(1, 0), (3, 0)])
    assert entries[1][:3] == (2, "broken_json", "nested too deeply")


@pytest.mark.parametrize("unit", [b"[", b"{", b"[{", b"[}", b'{"a":', b'\\"'])
@pytest.mark.slow
def test_a_record_without_end_is_not_held(unit: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "RECORD_CHARACTERS", 1 << 18)
    monkeypatch.setattr(resync, "DEEPEST", 1 << 17)
    stream = io.BytesIO(b"[{" + unit * 1_000_000)
    tracemalloc.start()
    with pytest.raises(InputError, match="record 1 is "):
        list(JSON.read(stream, "utf-8", 1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 << 20


@pytest.mark.slow
@pytest.mark.parametrize(
    "content", [b"[" * 200_000, b'[{"text": ' * 200_000, b'{"a":' * 200_000, b"[" + b"[" * 200_000]
)
def test_deep_nesting_is_an_error_that_names_the_record(content: bytes) -> None:
    before = sys.getrecursionlimit()
    with pytest.raises(InputError, match="record 1 is nested too deeply"):
        read(JSON, content)
    assert sys.getrecursionlimit() == before


def test_a_record_has_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "RECORD_CHARACTERS", 1 << 20)
    content = b'[{"text": "a"}, {"text": "' + b"x" * (9 << 20) + b'"}'
    stream = io.BytesIO(content + b', {"text": "b"}]')
    tracemalloc.start()
    entries = list(JSON.read(stream, "utf-8", 1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (places(entries), reasons(entries)) == ([(1, 0), (3, 0)], ["", "too_long", ""])
    assert peak < 6 << 20
    with pytest.raises(InputError, match="record 2 is longer than"):
        read(JSON, content)


@pytest.mark.slow
def test_a_long_record_is_read_and_memory_is_that_of_one_record() -> None:
    record = json.dumps({"text": "x" * 100_000}).encode()
    content = b"[" + b",".join([record] * 500) + b"]"
    tracemalloc.start()
    lengths = {len(entry.text) for entry in JSON.read(io.BytesIO(content), "utf-8", 1)}
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lengths == {100_000} and peak < 4 << 20


def test_aihub_captions_give_each_caption_with_its_place() -> None:
    images = [
        {"file_path": "a.jpg", "captions": ["A dog.", "Dogs."], "id": 1, "caption_ko": ["개 한 마리.", "개들."]},
        {"file_path": "b.jpg", "captions": [], "id": 2, "caption_ko": ["고양이.", None]},
        {"file_path": "c.jpg", "id": 3},
    ]
    content = json.dumps(images).encode()
    korean = make_reader("aihub-captions", {})
    entries = read(korean, content)
    assert texts(entries) == ["개 한 마리.", "개들.", "고양이."]
    assert places(entries) == [(1, 0), (1, 1), (2, 0)]
    assert reasons(entries) == ["", "", "", "wrong_type", "missing_field"]
    assert [entry.item for entry in entries[3:]] == [1, None]
    assert korean.field(1) == "caption_ko[1]"
    english = read(make_reader("aihub-captions", {"language": "en"}), content)
    assert (texts(english), reasons(english)[2:]) == (["A dog.", "Dogs."], ["missing_field", "missing_field"])


def test_aihub_dialogues_give_the_summary_or_the_utterances(tmp_path) -> None:
    def dialogue(summary: str, *utterances: str) -> dict[str, object]:
        said = [{"utteranceID": f"U{at}", "utterance": text} for at, text in enumerate(utterances)]
        return {"header": {"dialogueInfo": {"topic": "여행"}}, "body": {"dialogue": said, "summary": summary}}

    data = {"numberOfItems": 2, "data": [dialogue("여행을 간다.", "어디 가?", "제주도!"), dialogue("쉰다.", "응")]}
    path = zipped(tmp_path / "dialogues.json.gz", json.dumps(data, ensure_ascii=False, indent=1).encode())
    summaries, utterances = make_reader("aihub-dialogues", {}), make_reader("aihub-dialogues", {"texts": "utterances"})
    assert texts(read_path(path, summaries)) == ["여행을 간다.", "쉰다."]
    assert texts(read_path(path, utterances)) == ["어디 가?", "제주도!", "응"]
    assert places(read_path(path, utterances)) == [(1, 0), (1, 1), (2, 0)]
    assert (summaries.field(0), utterances.field(1)) == ("body.summary", "body.dialogue[1].utterance")


@pytest.mark.parametrize("encoding", ["cp949", "utf-16", "utf-8-sig"])
def test_a_document_may_have_any_encoding(encoding: str, tmp_path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(json.dumps([{"text": "값싼 우산"}], ensure_ascii=False).encode(encoding))
    assert texts(read_path(path, JSON, encoding)) == ["값싼 우산"]
