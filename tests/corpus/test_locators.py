"""Locators, and the rows that they locate: from a reader's records to places that find a sentence again."""

import io
import json
from collections import Counter
from dataclasses import dataclass

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.corpus.locators import SourceFile, locate
from conceptloom.corpus.raw import ROWS, raw_tables
from conceptloom.corpus.units import SentenceUnit
from conceptloom.hashing import text_id
from conceptloom.languages.korean.normalise import normalise
from conceptloom.languages.korean.sentences import split_sentences
from conceptloom.readers import make_reader
from conceptloom.readers.base import Malformed, Text
from conceptloom.schemas import RAW


@dataclass(frozen=True)
class Named:
    """A reader as far as locators see it."""

    name: str = ""

    def field(self, item: int) -> str:
        return f"{self.name}[{item}]" if self.name else ""


FILES = (
    SourceFile("/data/a.txt", "a.txt", "captions", "utf-8", Named()),  # type: ignore[arg-type]
    SourceFile("/data/b/c.json", "b/c.json", "captions", "utf-8", Named("caption_ko")),  # type: ignore[arg-type]
)
NUMBER, COUNT = st.integers(1, 1 << 40), st.integers(0, 3)
PLACE = st.one_of(
    st.tuples(st.just(0), NUMBER, st.just(0), COUNT), st.tuples(st.just(1), NUMBER, st.integers(-1, 3), COUNT)
)


def located(places: list[tuple[int, int, int, int]], files: tuple[SourceFile, ...] = FILES) -> list[str]:
    names = ("file", "record", "item", "sentence")
    records = [{"id": "", "text": "", **dict(zip(names, place, strict=True))} for place in places]
    found: list[str] = locate(pa.Table.from_pylist(records, schema=RAW), files).to_pylist()
    return found


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ((0, 12, 0, 0), "a.txt#12"),
        ((0, 12, 0, 2), "a.txt#12.2"),
        ((1, 12, -1, 0), "b/c.json#12"),
        ((1, 12, 0, 0), "b/c.json#12/caption_ko[0]"),
        ((1, 12, 1, 2), "b/c.json#12/caption_ko[1].2"),
    ],
)
def test_a_place_as_text(place: tuple[int, int, int, int], expected: str) -> None:
    assert located([place]) == [expected]
    assert located([place, (1, 1, 1, 1)])[0] == expected


@settings(deadline=None)
@given(st.lists(PLACE))
def test_places_do_not_depend_on_their_neighbours(places: list[tuple[int, int, int, int]]) -> None:
    assert located(places) == [located([place])[0] for place in places]
    assert len(set(located(places))) == len(set(places))


def test_files_without_fields() -> None:
    assert located([(0, 1, 0, 0), (0, 2, 0, 0)], FILES[:1]) == ["a.txt#1", "a.txt#2"]
    assert located([(0, 1, 0, 1), (0, 2, 0, 0)], FILES[:1]) == ["a.txt#1.1", "a.txt#2"]
    assert located([], FILES[:1]) == []


def test_the_captions_of_a_record_are_numbered_as_in_the_file() -> None:
    file = SourceFile("/data/c.json", "c.json", "captions", "utf-8", make_reader("aihub-captions", {}))
    assert located([(0, 3, 4, 0)], (file,)) == ["c.json#3/caption_ko[4]"]


def test_rows_of_records() -> None:
    results = [
        Text(1, 0, " 비가  온다. 눈이 온다."),
        Text(2, 1, "해가 뜬다 ."),
        Malformed(3, "broken_json", "why", "{"),
        Text(4, 0, " "),
    ]
    assert list(SentenceUnit(normalise, split_sentences).rows(results, 7, make_reader("lines", {}), Counter())) == [
        (text_id("비가 온다."), "비가 온다.", 7, 1, 0, 1, None, None),
        (text_id("눈이 온다."), "눈이 온다.", 7, 1, 0, 2, None, None),
        (text_id("해가 뜬다."), "해가 뜬다.", 7, 2, 1, 0, None, None),
        (text_id("7:3"), "{", 7, 3, -1, 0, "malformed", "broken_json: why"),
        (text_id(""), "", 7, 4, 0, 0, None, None),
    ]


def malformed_locators(name: str, kind: str, content: bytes) -> list[str]:
    """The locators of what is malformed in a file."""
    file = SourceFile(f"/data/{name}", name, "captions", "utf-8", make_reader(kind, {}))
    entries = file.reader.read(io.BytesIO(content), "utf-8", 1)
    rows = SentenceUnit(normalise, split_sentences).rows(entries, 0, file.reader, Counter())
    (raw,) = raw_tables(rows)
    return [place for place, reason in zip(locate(raw, [file]).to_pylist(), raw["reason"].to_pylist()) if reason]


def test_what_is_malformed_has_a_field_only_where_an_item_is() -> None:
    captions: list[dict[str, list[str | None]]] = [{"caption_ko": ["개가 잔다."]} for _ in range(6)]
    captions[4] = {"caption_ko": ["개가 잔다.", "소가 잔다.", None, "말이 잔다."]}
    content = json.dumps([*captions, {}, {"caption_ko": []}])
    expected = ["m.json#5/caption_ko[2]", "m.json#7", "m.json#8"]
    assert malformed_locators("m.json", "aihub-captions", content.encode()) == expected
    broken = content.replace("[", "[{1: 2},", 1).encode()
    assert malformed_locators("m.json", "aihub-captions", broken)[:2] == ["m.json#1", "m.json#6/caption_ko[2]"]
    lines = b'{"text": "a"}\n' * 6 + b'{"text"\n{"text": null}\n'
    assert malformed_locators("f.jsonl", "jsonl", lines) == ["f.jsonl#7", "f.jsonl#8/text"]


@pytest.mark.parametrize("count", [0, 1, ROWS, ROWS + 1])
def test_tables_are_no_longer_than_a_chunk(count: int) -> None:
    texts = (Text(number, 0, "가") for number in range(1, count + 1))
    rows = SentenceUnit(str, lambda text: [text]).rows(texts, 0, make_reader("lines", {}), Counter())
    tables = list(raw_tables(rows))
    assert [len(table) for table in tables] == [size for size in (min(count, ROWS), count - ROWS) if size > 0]
    assert all(table.schema == RAW for table in tables)
    assert [number for table in tables for number in table["record"].to_pylist()] == list(range(1, count + 1))
