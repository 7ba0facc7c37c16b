"""Answers to questions, from CSV: gold answers and a system's answers, paired by id and never by position."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from conceptloom import storage
from conceptloom.errors import InputError
from conceptloom.metrics.base import Item

IDS = ("id", "inputstoryid")
TYPES = ("type", "source")
ANSWERS = ("label", "answer", "answerrightending", "prediction")
"""The column names that a header, if a file has one, may use; case does not matter."""


class Answer(NamedTuple):
    """The answers that a file gives to one question, and the question's type (empty if the file has none)."""

    texts: tuple[str, ...]
    type: str


def answer_items(references: str, predictions: str) -> list[Item]:
    """A system's answers with the gold answers, in the order of the latter; an item's source is its question's type.

    Both files are CSV: lines `id,answer` or, like the gold reasons of ComVE, `id,reason,reason,reason`, where empty
    cells are ignored; or columns named by a header (see IDS, TYPES and ANSWERS), as in the Story Cloze Test. Raises
    InputError for any other file, for an id that occurs twice, for a question without an answer or an answer without a
    question, and where a system gives several answers (usually one with a comma and without quotes).
    """
    gold, given = read_answers(references), read_answers(predictions)
    _same_ids(references, gold, predictions, given)
    several = [key for key, answer in given.items() if len(answer.texts) > 1]
    if several:
        raise InputError(
            f"{predictions}: {len(several)} ids have more than one answer, such as {several[0]!r}; "
            'put an answer with a comma in quotes: id,"answer"'
        )
    empty = [key for key, answer in gold.items() if not answer.texts]
    if empty:
        raise InputError(f"{references}: {len(empty)} ids have no answer, such as {empty[0]!r}; get the file again")
    return [
        Item(key, (), answer.texts, given[key].texts[0] if given[key].texts else "", answer.type)
        for key, answer in gold.items()
    ]


def read_answers(path: str) -> dict[str, Answer]:
    """The answers of a CSV file by id, in its order; raises InputError, with file and line, for an invalid line."""
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    answers: dict[str, Answer] = {}
    columns: _Columns | None = None
    try:
        for row in reader:
            if columns is None:
                columns = _Columns.of(row)
                if columns.header:
                    continue
            if row:
                _add(answers, row, columns, f"{path}: line {reader.line_num}")
    except csv.Error as error:
        raise InputError(f"{path}: line {reader.line_num} is not CSV ({error}); fix this line") from None
    if not answers:
        raise InputError(f"{path}: there are no answers; name a file of lines id,answer")
    return answers


class _Columns(NamedTuple):
    """The columns of id, type and answers; without a header, the first is the id and all others are answers."""

    header: bool
    id: int
    type: int | None
    answers: tuple[int, ...] | None

    @classmethod
    def of(cls, row: Sequence[str]) -> "_Columns":
        names = [cell.strip().lower() for cell in row]
        answers = tuple(at for at, name in enumerate(names) if name in ANSWERS)
        ids = [at for at, name in enumerate(names) if name in IDS]
        if not ids or not answers:
            return cls(False, 0, None, None)
        types = [at for at, name in enumerate(names) if name in TYPES]
        return cls(True, ids[0], types[0] if types else None, answers)


def _add(answers: dict[str, Answer], row: Sequence[str], columns: _Columns, place: str) -> None:
    wanted = columns.answers or tuple(range(1, len(row)))
    if len(row) < 2 or max(wanted) >= len(row):
        raise InputError(f"{place} has {len(row)} columns; each line is id,answer; fix this line")
    key = row[columns.id].strip()
    if not key or key in answers:
        raise InputError(f"{place}: the id {key!r} {'occurs twice' if key else 'is empty'}; fix this line")
    kind = "" if columns.type is None or columns.type >= len(row) else row[columns.type].strip()
    answers[key] = Answer(tuple(row[at].strip() for at in wanted if row[at].strip()), kind)


def _text(path: str) -> str:
    try:
        return storage.read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 ({error}); convert it") from None


def _same_ids(references: str, gold: Mapping[str, Answer], predictions: str, given: Mapping[str, Answer]) -> None:
    missing = [key for key in gold if key not in given]
    extra = [key for key in given if key not in gold]
    if missing:
        raise InputError(f"{predictions} has no answer for {len(missing)} ids of {references}, such as {missing[0]!r}")
    if extra:
        raise InputError(f"{predictions} answers {len(extra)} ids that are not in {references}, such as {extra[0]!r}")
