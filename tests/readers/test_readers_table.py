import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import read, reasons, texts

from conceptloom.errors import ConfigError, InputError
from conceptloom.readers import Text, make_reader

CELL = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=8)


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELL, min_size=n, max_size=n), min_size=1)), st.data())
def test_the_texts_are_those_of_the_standard_parser(rows: list[list[str]], data: st.DataObject) -> None:
    column = data.draw(st.integers(1, len(rows[0])))
    delimiter = data.draw(st.sampled_from(",\t;|"))
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    reader = make_reader("table", {"column": column, "delimiter": delimiter, "quotes": True})
    entries = read(reader, written.getvalue().encode())
    expected = [row[column - 1] for row in csv.reader(io.StringIO(written.getvalue(), newline=""), delimiter=delimiter)]
    assert entries == [Text(number, 0, text) for number, text in enumerate(expected, 1)]


def test_a_column_is_found_by_name_or_number() -> None:
    content = 'Q,A,label\r\n안녕?,"네, 안녕",0\r\n잘 가,응,1'.encode()
    assert texts(read(make_reader("table", {"column": "A"}), content)) == ["네, 안녕", "응"]
    assert texts(read(make_reader("table", {"column": 1, "header": True}), content)) == ["안녕?", "잘 가"]
    assert texts(read(make_reader("table", {"column": 1}), content)) == ["Q", "안녕?", "잘 가"]
    assert read(make_reader("table", {"column": "A"}), content, first=5)[0].record == 5
    assert make_reader("table", {"column": "A"}).field(0) == "A"
    assert make_reader("table", {"column": 2}).field(0) == "column 2"


@pytest.mark.parametrize("options", [{}, {"column": 4}, {"column": "question"}])
def test_a_column_that_is_not_there_is_an_error_that_lists_those_that_are(options: dict[str, object]) -> None:
    with pytest.raises(InputError, match=r"the columns are 1 'Q', 2 'A'; .*option column"):
        read(make_reader("table", options), b"Q,A\na,b\n")


def test_one_column_needs_no_name() -> None:
    assert texts(read(make_reader("table", {}), b'a\n"b, c"\n')) == ["a", "b, c"]
    assert texts(read(make_reader("table", {"header": True}), b"text\nb\n")) == ["b"]
    assert read(make_reader("table", {}), b"") == []


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    rows = [["id", "text", "x"], ["1", "so; it is", "y"], ["2", "a\tb" if delimiter != "\t" else "ab", "z"]]
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL).writerows(rows)
    assert texts(read(make_reader("table", {"column": "text"}), written.getvalue().encode())) == [
        r[1] for r in rows[1:]
    ]


def test_quotation_marks_between_tabs_are_text() -> None:
    content = b'1\t"Go!" he said.\n2\t"one\n3\ttwo"\n'
    assert texts(read(make_reader("table", {"column": 2}), content)) == ['"Go!" he said.', '"one', 'two"']


def test_an_unclosed_quotation_mark_costs_one_row() -> None:
    content = b'a,b\n1,"open\n2,fine\n3,"also\nfine"\n4,x\n'
    entries = read(make_reader("table", {"column": "b"}), content)
    assert reasons(entries) == ["broken_row", "", "", ""]
    assert texts(entries) == ["fine", "also\nfine", "x"]
    assert "quotes=false" in entries[0].detail and entries[0].text == '1,"open'


def test_a_file_of_open_quotation_marks_is_read_within_reason() -> None:
    rows = "".join(f'{number},"open {number}\n' if number % 50 == 1 else f"{number},fine\n" for number in range(20_001))
    entries = read(make_reader("table", {"column": 2}), rows.encode())
    assert len(entries) + reasons(entries).count("") >= 20_001
    assert [entry.record for entry in entries] == list(range(1, len(entries) + 1))


def test_a_bad_row_is_malformed_and_the_rest_is_read() -> None:
    bad = [b"1", b"1,2,3", b"1,\xff", b"1,\0", b"1,a\rb", b"1," + b"x" * (1 << 20), b'1,"a"b']
    entries = read(make_reader("table", {"column": 2}), b"\n".join([b"0,first", *bad, b"", b"9,last"]))
    expected = ["broken_row"] * 2 + ["undecodable", "control_characters", "broken_row", "too_long", "broken_row"]
    assert reasons(entries) == ["", *expected, "", ""]
    assert texts(entries) == ["first", "", "last"]
    assert [entry.record for entry in entries] == list(range(1, 11))


def test_an_unreadable_line_within_a_quoted_cell_is_a_row_of_its_own() -> None:
    content = b'0,a\n1,"open\n2,' + b"x" * (1 << 20) + b'\n3,b\n4,c"d\n'
    entries = read(make_reader("table", {"column": 2}), content)
    assert reasons(entries) == ["", "broken_row", "too_long", "", ""]
    assert texts(entries) == ["a", "b", 'c"d']


def test_a_cell_longer_than_the_standard_limit_is_read() -> None:
    (entry,) = read(make_reader("table", {"column": 2}), b"1," + b"x" * 500_000)
    assert len(entry.text) == 500_000


@pytest.mark.parametrize(
    "options",
    [{"delimiter": ""}, {"delimiter": ",,"}, {"delimiter": '"'}, {"column": -1}, {"column": "a", "header": False}],
)
def test_impossible_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"format table: (delimiter|column)"):
        make_reader("table", options)
