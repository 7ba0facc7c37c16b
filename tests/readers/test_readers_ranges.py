import gzip
import json
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reading import read, read_path, texts, zipped

from conceptloom import storage
from conceptloom.errors import InputError
from conceptloom.readers import Span, count_lines, first_records, make_reader, plan_spans, ranges, read_head, read_span
from conceptloom.readers.ranges import end_of_lines, up_to

LINES = make_reader("lines", {})
PARTS = st.lists(
    st.sampled_from([b"a", "강".encode(), b"\n", b"\n", b"\r\n", b"\xff", b"\0", b"abcdef", b"\xef\xbb\xbf"])
)


def through_spans(path: str, reader, encoding: str, size: int):
    (info,) = storage.match(path)
    spans = plan_spans(info, reader, encoding, size)
    firsts = first_records([0] * len(spans), [count_lines(span.path, span.start, span.end) for span in spans])
    spans = [replace(span, first=first) for span, first in zip(spans, firsts, strict=True)]
    return spans, [entry for span in spans for entry in read_span(span, reader, encoding)]


@pytest.mark.slow
@given(PARTS, st.integers(1, 12), st.integers(1, 5), st.sampled_from(["utf-8", "cp949", "latin-1"]))
@example([b"\xef\xbb\xbf", b"a", b"\n"], 1, 1, "utf-8")
@settings(max_examples=300)
def test_the_spans_together_are_the_file(tmp_path_factory, parts, size: int, chunk: int, encoding: str) -> None:
    path = tmp_path_factory.mktemp("spans") / "a.txt"
    path.write_bytes(content := b"".join(parts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranges, "CHUNK", chunk)
        spans, entries = through_spans(str(path), LINES, encoding, size)
    assert len(spans) == max(1, -(-len(content) // size))
    name = {"latin-1": "iso8859-1"}.get(encoding, encoding)
    assert entries == read(LINES, content.removeprefix(b"\xef\xbb\xbf"), name)
    assert entries == read_path(path, LINES, encoding)


@given(PARTS, st.integers(0, 30), st.integers(0, 30) | st.none(), st.integers(1, 5))
def test_line_starts_are_counted(tmp_path_factory, parts, start: int, end: int | None, chunk: int) -> None:
    path = tmp_path_factory.mktemp("count") / "a.txt"
    path.write_bytes(content := b"".join(parts))
    owned = range(start, min(len(content), len(content) if end is None else end))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranges, "CHUNK", chunk)
        counted = count_lines(str(path), start, end)
    assert counted == sum(at == 0 or content[at - 1 : at] == b"\n" for at in owned)


@given(PARTS, st.integers(1, 20), st.integers(1, 5), st.integers(0, 30) | st.none())
def test_the_end_of_the_first_lines(tmp_path_factory, parts, lines: int, chunk: int, within: int | None) -> None:
    path = tmp_path_factory.mktemp("end") / "a.txt"
    path.write_bytes(content := b"".join(parts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranges, "CHUNK", chunk)
        found = end_of_lines(str(path), lines, within)
    ends = [at + 1 for at in range(len(content)) if content[at : at + 1] == b"\n"]
    expected = ends[lines - 1] if lines <= len(ends) else None
    if within is None or expected is None or expected <= within:
        assert found == expected
    else:
        assert found == (expected if expected <= -(-within // chunk) * chunk else None)


@given(PARTS, st.integers(1, 9), st.integers(1, 9))
def test_the_spans_up_to_the_end_of_the_first_lines_have_these_lines(tmp_path_factory, parts, size, lines) -> None:
    path = tmp_path_factory.mktemp("first") / "a.txt"
    path.write_bytes(b"".join(parts) + b"\nend")
    whole = read_path(path, LINES)
    (info,) = storage.match(str(path))
    end = end_of_lines(str(path), lines)
    spans = up_to(plan_spans(info, LINES, "utf-8", size), end)
    assert spans[-1].end == end and all(span.end for span in spans[:-1])
    firsts = first_records([0] * len(spans), [count_lines(span.path, span.start, span.end) for span in spans])
    read = [entry for span, n in zip(spans, firsts) for entry in read_span(replace(span, first=n), LINES, "utf-8")]
    assert read == (whole if end is None else whole[:lines])


def test_a_line_longer_than_many_spans_is_passed_through_once(
    tmp_path, monkeypatch: pytest.MonkeyPatch, given_out: list[int]
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 1_000_000 + b"\nend\n")
    monkeypatch.setattr(ranges, "CHUNK", 1000)
    spans = [Span(str(path), start, start + 10_000) for start in range(0, 1_000_000, 10_000)]
    assert sum(len(list(read_span(span, LINES, "utf-8"))) for span in spans) == 1
    assert sum(given_out) < 4_000_000


def test_what_cannot_be_cut_is_one_span(tmp_path) -> None:
    plain, packed = tmp_path / "a.txt", zipped(tmp_path / "b.txt", bytes(range(256)) * 9)
    plain.write_bytes(b"a\n" * 500)
    (info,), (packed_info,) = storage.match(str(plain)), storage.match(str(packed))
    assert len(plan_spans(info, LINES, "utf-8", 100)) == 10
    assert plan_spans(info, LINES, "utf-16", 100) == [Span(str(plain))]
    assert plan_spans(info, make_reader("json", {}), "utf-8", 100) == [Span(str(plain))]
    assert plan_spans(packed_info, LINES, "utf-8", 100) == [Span(str(packed))]
    with pytest.raises(ValueError, match="span_bytes"):
        plan_spans(info, LINES, "utf-8", 0)


@pytest.mark.parametrize(
    ("format", "options", "content"),
    [
        ("lines", {}, "가\n나"),
        ("jsonl", {}, '{"text": "가"}\n{"text": "나"}'),
        ("json", {}, '[{"text": "가"}, {"text": "나"}]'),
        ("table", {"column": "text"}, "id,text\n1,가\n2,나\n"),
        ("aihub-captions", {}, json.dumps([{"caption_ko": ["가", "나"]}])),
        ("aihub-dialogues", {}, json.dumps({"data": [{"body": {"summary": s}} for s in "가나"]})),
        ("published", {}, "[SOS] a = 가 [EOS]\n[SOS] a = 나 [EOS]\n"),
    ],
)
def test_every_format_may_be_zipped_whatever_its_name(format: str, options, content: str, tmp_path) -> None:
    reader = make_reader(format, options)
    for name, raw in [("a.gz", content.encode()), ("b.txt", b"\xef\xbb\xbf" + content.encode())]:
        path = zipped(tmp_path / name, raw)
        assert texts(read_path(path, reader)) == ["가", "나"]
        assert read_head(str(path)) == raw


def test_several_gzip_members_are_one_file(tmp_path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"a\n") + gzip.compress(b"b\n"))
    assert texts(read_path(path, LINES)) == ["a", "b"]


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-20], lambda b: b[:5], lambda b: b[:500] + b"x" * 50 + b[550:], lambda b: b + b"tail"]
)
def test_a_damaged_gzip_file_is_an_error_with_the_path_and_the_cure(damage, tmp_path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(damage(gzip.compress(b"".join(b"line %d\n" % (n * n) for n in range(50_000)))))
    with pytest.raises(
        InputError, match=r"^\S+a\.txt\.gz: the gzip file is damaged or cut off .*; get the whole file again"
    ):
        read_path(path, LINES)


def test_a_missing_file_is_an_error_with_its_path(tmp_path) -> None:
    with pytest.raises(InputError, match=r"nothing\.txt: cannot be read"):
        read_path(tmp_path / "nothing.txt", LINES)
