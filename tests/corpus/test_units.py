"""Whole records as units: their parts keep together, whatever the format."""

import csv
import io
import json
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.corpus.analysis import KoreanAnalyser
from conceptloom.corpus.captions import CaptionAnalyser
from conceptloom.corpus.locators import SourceFile, locate
from conceptloom.corpus.raw import Row, raw_tables
from conceptloom.corpus.units import RecordUnit, SentenceUnit, Unit, fields_of
from conceptloom.errors import ConfigError
from conceptloom.hashing import text_id
from conceptloom.readers import Malformed, Reader, Record, Text, make_reader
from conceptloom.readers.base import Entry
from conceptloom.readers.records import whole_records
from conceptloom.schemas import RAW
from conceptloom.tasks.ingest import Records

NAMES = ("premise", "hypothesis", "label")
UNIT = RecordUnit(str.strip, NAMES)
TABLE = make_reader("table", {"columns": ",".join(NAMES)})
LINES = make_reader("jsonl", {"field": ",".join(NAMES)})
DOCUMENT = make_reader("json", {"field": ",".join(NAMES)})

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip)
ROWS = st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=12)


def rows_of(reader: Reader, content: str, unit: RecordUnit = UNIT) -> list[Row]:
    return list(unit.rows(reader.read(io.BytesIO(content.encode()), "utf-8", 1), 0, reader, Counter()))


def as_table(rows: list[tuple[str, ...]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerows([("more", *NAMES), *(("x", *row) for row in rows)])
    return stream.getvalue()


def as_lines(rows: list[tuple[str, ...]]) -> str:
    """JSON lines whose keys stand in another order in each."""
    shuffled = []
    for number, row in enumerate(rows):
        items = [*zip(NAMES, row), ("more", number)]
        random.Random(number).shuffle(items)
        shuffled.append(json.dumps(dict(items), ensure_ascii=False))
    return "\n".join(shuffled)


@given(ROWS)
def test_the_fields_of_a_record_are_those_of_its_row_in_any_format(rows: list[tuple[str, str, str]]) -> None:
    wanted = [{name: value.strip() for name, value in zip(NAMES, row)} for row in rows]
    document = json.dumps([dict(zip(NAMES, row)) for row in rows])
    for reader, content in ((TABLE, as_table(list(rows))), (LINES, as_lines(list(rows))), (DOCUMENT, document)):
        found = rows_of(reader, content)
        assert [fields_of(row[1]) for row in found] == wanted
        assert [row[3] for row in found] == list(range(1, len(rows) + 1))
        assert all(row[0] == text_id(row[1]) and row[6] is None for row in found)


def test_the_locator_names_the_record() -> None:
    (raw,) = raw_tables(iter(rows_of(TABLE, as_table([("a", "b", "1"), ("c", "d", "0")]))))
    files = [SourceFile("/data/pairs.csv", "pairs.csv", "pairs", "utf-8", TABLE)]
    assert locate(raw, files).to_pylist() == ["pairs.csv#1", "pairs.csv#2"]


def test_one_malformed_part_is_a_malformed_record() -> None:
    lines = '{"premise": "a", "hypothesis": null, "label": "1"}\n{"premise": "a", "hypothesis": "b"}\n{"premise": "a"'
    found = rows_of(LINES, lines)
    assert [(row[3], row[4], row[6]) for row in found] == [(number, -1, "malformed") for number in (1, 2, 3)]
    reasons = [str(row[7]) for row in found]
    assert reasons[0] == "wrong_type: hypothesis is null, not text"
    assert reasons[1].startswith("missing_field: there is no label, but premise, hypothesis")
    assert reasons[2].startswith("broken_json")


def test_a_reader_of_other_fields_gives_malformed_records_that_say_what_there_is() -> None:
    (row,) = rows_of(make_reader("lines", {}), "one text\n")
    assert row[6:] == ("malformed", "missing_field: there is no premise, but nothing")
    (row,) = rows_of(make_reader("table", {"columns": "premise,label"}), "premise,label\na,1\n")
    assert row[7] == "missing_field: there is no hypothesis, but premise, label"


def test_lists_and_single_fields_of_one_record() -> None:
    reader = make_reader("jsonl", {"field": "title, lines[], end"})
    story = {"title": "T", "lines": ["one", "two", "three"], "end": "E"}
    entries = list(reader.read(io.BytesIO(json.dumps(story).encode()), "utf-8", 1))
    wanted = {"title": "T", "lines[0]": "one", "lines[1]": "two", "lines[2]": "three", "end": "E"}
    assert list(whole_records(entries, reader)) == [Record(1, wanted)]
    assert len({entry.item for entry in entries if isinstance(entry, Text)}) == len(wanted)


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=4), max_size=8))
def test_records_are_brought_together_as_a_plain_loop_does_it(parts: list[list[bool]]) -> None:
    entries = [
        Text(number, item, f"{number}.{item}") if good else Malformed(number, "too_long", f"{item}", "", item)
        for number, goods in enumerate(parts, 1)
        for item, good in enumerate(goods)
    ]
    reader = make_reader("aihub-captions", {})
    wanted: list[Record | Malformed] = []
    for number, goods in enumerate(parts, 1):
        if all(goods):
            wanted.append(Record(number, {f"caption_ko[{item}]": f"{number}.{item}" for item in range(len(goods))}))
        else:
            wanted.append(Malformed(number, "too_long", str(goods.index(False))))
    assert list(whole_records(entries, reader)) == wanted


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("table", {"columns": "a,b", "column": "a"}, "leave column and header out"),
        ("table", {"columns": "a, a"}, "names one column twice"),
        ("jsonl", {"field": "a,b, a"}, "names one path twice"),
        ("json", {"field": "a,b[][]"}, "is not a path"),
    ],
)
def test_impossible_fields_are_refused(kind: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_reader(kind, options)


PLAIN = st.sampled_from(["개가 잔다.", "개가 자고, 소가 운다.", "A dog runs.", "a dog, a cat", "dogs"])
NEARLY = st.sampled_from(
    ["개가 잔다", "개가 잔다. 소가 운다.", " 개가 잔다.", "개가,잔다.", "개가 잔다.\n", "A dog  runs.", "d'or", ""]
)
SAID = st.one_of(PLAIN, NEARLY, st.text("가다 .,\nab", max_size=8), TEXTS)
ENTRIES = st.lists(
    st.one_of(
        st.builds(Text, st.integers(1, 9), st.integers(0, 3), SAID),
        st.builds(Malformed, st.integers(1, 9), st.just("broken_json"), st.just("why"), SAID, st.none()),
    ),
    max_size=12,
)
UNITS = (KoreanAnalyser().unit, KoreanAnalyser(complete=False).unit, CaptionAnalyser().unit, UNIT)


@pytest.mark.parametrize("unit", UNITS)
@settings(deadline=None)
@given(ENTRIES, st.integers(1, 14))
def test_tables_hold_the_rows(unit: Unit, entries: list[Entry], size: int) -> None:
    """Plain texts go another way than the others, and come out as the same rows."""
    counts, others = Counter[str](), Counter[str]()
    tables = list(unit.tables(entries, 3, LINES, counts, size))
    rows = list(unit.rows(entries, 3, LINES, others))
    found = [tuple(row.values()) for table in tables for row in table.to_pylist()]
    assert sorted(found, key=str) == sorted(rows, key=str)
    assert counts == others and list(counts) == list(others)
    assert all(table.schema == RAW for table in tables)


@pytest.mark.parametrize("unit", [KoreanAnalyser().unit, CaptionAnalyser().unit])
def test_tables_are_bounded_however_many_sentences_a_text_has(unit: SentenceUnit) -> None:
    entries = [Text(1, 0, "개가 잔다. " * 500), *(Text(number, 0, "개가 잔다.") for number in range(2, 200))]
    sizes = [len(table) for table in unit.tables(iter(entries), 0, LINES, Counter(), 100)]
    assert sum(sizes) == len(list(unit.rows(entries, 0, LINES, Counter())))
    assert max(sizes) <= 200


def test_records_are_counted_over_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conceptloom.tasks.ingest.BLOCK", 2)
    bad = [
        Malformed(2, "broken_json", "why"),
        Malformed(2, "wrong_type", "why", item=1),
        Malformed(5, "too_long", "why"),
    ]
    entries = [Text(1, 0, "a"), Text(1, 1, "b"), *bad[:2], Text(2, 2, "c"), Text(3, 0, "d"), bad[2]]
    counts = Records()
    assert list(counts.watch(iter(entries))) == entries
    assert (counts.records, counts.malformed) == (4, 2)
