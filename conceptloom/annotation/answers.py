"""Reads filled annotation files: tables (csv or tsv, from spreadsheets and crowd-sourcing platforms) or JSON."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO, NamedTuple

from conceptloom.errors import ConfigError
from conceptloom.json_values import JsonObject
from conceptloom.languages.english.normalise import normalise
from conceptloom.readers.base import REASONS as MALFORMED
from conceptloom.readers.base import Malformed, Text
from conceptloom.readers.encoding import BOM, decode_all, find_encoding, python_name
from conceptloom.readers.fields import kind_of
from conceptloom.readers.jsonl import parse_line
from conceptloom.readers.linewise import LINE_BYTES, read_lines
from conceptloom.readers.ranges import open_text, read_head
from conceptloom.readers.rows import Rows, find_delimiter
from conceptloom.readers.texts import checked, escaped, excerpt

COLUMNS = ("id", "sentence", "rationale", "worker")
"""The columns of an answer; others are ignored."""

REASONS = {
    **MALFORMED,
    "wrong_columns": "the file lacks one of the columns id, sentence, rationale, worker",
    "unknown_id": "no task has this id",
    "no_sentence": "nothing was written",
    "concept_list": "the concepts are listed, as they were shown or with separators, and nothing else is said",
    "no_worker": "nobody is named as the author",
    "duplicate_answer": "this worker has already answered this task",
    "duplicate_sentence": "this sentence has already been written for this task",
    "copied": "the sentence was shown as inspiration",
    "coverage": "the sentence contains too few of the concepts",
    "rationale": "the rationale has too few words",
    "perplexity": "the perplexity of the sentence is too high",
    "worker_coverage": "the worker's sentences contain too few of the concepts, on average",
    "worker_rationale": "the worker's rationales have too few words, on average",
    "worker_perplexity": "the median perplexity of the worker's sentences is too high",
}
"""Why an answer is not taken. The names are stable because reports contain them."""


class Answer(NamedTuple):
    """What one worker wrote for one task, and its place: FILE#RECORD, with records counted from 1."""

    place: str
    task: str
    worker: str
    sentence: str
    rationale: str


class Rejected(NamedTuple):
    """An answer that is not taken, for one of REASONS."""

    answer: Answer
    reason: str
    detail: str = ""


def parse_columns(assignments: Sequence[str]) -> dict[str, str]:
    """The name in the files of each of COLUMNS, from `NAME=COLUMN`; raises ConfigError for any other form.

    >>> parse_columns(["sentence=Answer.sentence"])["sentence"]
    'Answer.sentence'
    """
    columns = {name: name for name in COLUMNS}
    for assignment in assignments:
        name, _, column = assignment.partition("=")
        if name not in columns or not column:
            raise ConfigError(f"--column takes NAME=COLUMN, NAME one of {', '.join(COLUMNS)}; not {assignment!r}")
        columns[name] = column
    return columns


def read_answers(path: str, columns: Mapping[str, str], encoding: str | None = None) -> Iterator[Answer | Rejected]:
    """Every record of a file as an answer, or as rejected if it cannot be read; blank lines are skipped.

    A file whose first character is `{` is JSON lines, one that begins with `[` a JSON array of such objects, any other
    file a table with a header. Texts are normalised. `columns` has the name in the file of each of COLUMNS; the
    `encoding` is found if it is not given. Raises ConfigError for an unknown one.
    """
    first = _first_character(path, encoding)
    with open_text(path, encoding) as (stream, name):
        for number, record in _records(stream, name, first, columns["id"]):
            yield _answer(f"{path}#{number}", number, record, columns)


def _first_character(path: str, encoding: str | None) -> str:
    head = read_head(path)
    text = head.decode(python_name(encoding or find_encoding(head)), "ignore")
    return text.removeprefix(BOM).lstrip()[:1]


def _records(stream: BinaryIO, encoding: str, first: str, named: str) -> Iterator[tuple[int, JsonObject | Malformed]]:
    if first == "{":
        return _json_records(stream, encoding)
    return _array_records(stream, encoding) if first == "[" else _table_records(stream, encoding, named)


def _array_records(stream: BinaryIO, encoding: str) -> Iterator[tuple[int, JsonObject | Malformed]]:
    """The elements of a JSON array; what cannot be decoded spoils the text it is in, and no other."""
    value = parse_line(Text(1, 0, decode_all(stream.read(), encoding)))
    if isinstance(value, Malformed):
        yield 1, value
    for number, one in enumerate(value if isinstance(value, list) else [], 1):
        yield number, one if isinstance(one, dict) else _no_object(number, one, _json(one))


def _no_object(number: int, value: object, text: str) -> Malformed:
    return Malformed(number, "wrong_type", f"the record is {kind_of(value)}, not an object", excerpt(text))


def _json_records(stream: BinaryIO, encoding: str) -> Iterator[tuple[int, JsonObject | Malformed]]:
    for line in read_lines(stream, encoding, 1):
        value = line if isinstance(line, Malformed) else parse_line(line) if line.text.strip() else None
        if isinstance(value, (dict, Malformed)):
            yield line.record, value
        elif value is not None or line.text.strip():
            yield line.record, _no_object(line.record, value, line.text)


def _table_records(stream: BinaryIO, encoding: str, named: str) -> Iterator[tuple[int, JsonObject | Malformed]]:
    """The rows after the header; without a readable header they have no columns."""
    csv.field_size_limit(max(csv.field_size_limit(), LINE_BYTES))
    rows = Rows(stream, encoding)
    rows.delimiter = find_delimiter(rows.head(), named)
    header = [cell.strip() for cell in next(rows).cells] if rows.head() else []
    for number, row in enumerate(rows, 1):
        if row.reason:
            yield number, Malformed(number, row.reason, excerpt(row.detail), excerpt(row.raw))
        elif row.cells and len(row.cells) != len(header):
            detail = f"{len(row.cells)} cells, where the header has {len(header)}"
            yield number, Malformed(number, "broken_row", detail, excerpt(row.raw))
        elif any(cell.strip() for cell in row.cells):
            yield number, dict(zip(header, row.cells))


def _answer(place: str, number: int, record: JsonObject | Malformed, columns: Mapping[str, str]) -> Answer | Rejected:
    if isinstance(record, Malformed):
        return Rejected(Answer(place, "", "", record.text, ""), record.reason, record.detail)
    values = {name: record.get(column, "") for name, column in columns.items()}
    answer = Answer(place, *(_writable(values[name]) for name in ("id", "worker", "sentence", "rationale")))
    missing = [column for column in columns.values() if column not in record]
    if missing:
        shown = excerpt(", ".join(record)) or "none"
        # The sentence may be in a column of another name: the record is kept as it came.
        kept = answer if answer.sentence else answer._replace(sentence=_writable(_json(record)))
        return Rejected(kept, "wrong_columns", f"there is no column {', '.join(missing)}; there are: {shown}")
    for name, value in values.items():
        if not isinstance(value, str):
            return Rejected(answer, "wrong_type", f"{columns[name]} is {kind_of(value)}, not text")
        entry = checked(number, 0, value, columns[name])
        if isinstance(entry, Malformed):
            return Rejected(answer, entry.reason, entry.detail)
    return Answer(
        place, values["id"].strip(), values["worker"].strip(), normalise(values["sentence"]),
        normalise(values["rationale"]),
    )  # fmt: skip


def _writable(value: object) -> str:
    """The value as text that can be written to a file, its undecodable bytes too."""
    return escaped(str(value))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
