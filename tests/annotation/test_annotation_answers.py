"""Filled files: every record is an answer, or is rejected with a reason."""

import csv
import io
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptloom.annotation import COLUMNS, REASONS, Answer, Rejected, check_answers, make_tasks, read_answers
from conceptloom.annotation.answers import parse_columns
from conceptloom.errors import ConfigError
from conceptloom.examples import Example

SAME = parse_columns([])
TASKS = make_tasks([Example(("dog", "run"), ("A dog runs.",)), Example(("cat", "eat"), ("A cat eats.",))], 1)
BY_ID = {task.id: task for task in TASKS}


def read(path: Path, text: str, columns: dict[str, str] = SAME) -> list[Answer | Rejected]:
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return list(read_answers(str(path), columns))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_tables_as_spreadsheets_write_them(tmp_path: Path, delimiter: str, mark: str) -> None:
    text = io.StringIO()
    rows = csv.writer(text, delimiter=delimiter)
    rows.writerow([" worker ", "note", "rationale", "sentence", "id"])
    rows.writerow(["w1", "", 'he said "dogs; run, often"', "A dog\nruns   fast .", "i1"])
    rows.writerow(["", "", "", "", ""])
    rows.writerow(["w2", "x", "", "She isn’t a dog.", " i2 "])
    path = tmp_path / "filled"
    assert read(path, mark + text.getvalue()) == [
        Answer(f"{path}#1", "i1", "w1", "A dog runs fast.", 'he said "dogs; run, often"'),
        Answer(f"{path}#3", "i2", "w2", "She isn't a dog.", ""),
    ]


def test_json_lines_with_other_names(tmp_path: Path) -> None:
    columns = parse_columns(["id=Input.id", "worker=WorkerId"])
    record = {"Input.id": "i", "WorkerId": "w", "sentence": "A.", "rationale": "b", "concepts": ["more"]}
    path = tmp_path / "filled"
    assert read(path, "\n" + json.dumps(record) + "\n", columns) == [Answer(f"{path}#2", "i", "w", "A.", "b")]


@pytest.mark.parametrize("assignment", ["sentence", "sentence=", "text=a", ""])
def test_columns_that_cannot_be_meant(assignment: str) -> None:
    with pytest.raises(ConfigError, match="--column takes NAME=COLUMN, NAME one of id, sentence, rationale, worker"):
        parse_columns([assignment])


def test_what_cannot_be_read_is_kept_with_its_reason(tmp_path: Path) -> None:
    good = {"id": "i", "sentence": "A.", "rationale": "", "worker": "w"}
    lines = [
        json.dumps(good), "[1]", "{", json.dumps({"id": "i", "Sentence": "Lost?"}), json.dumps(good | {"worker": 7}),
        json.dumps(good | {"sentence": "a\0b"}), json.dumps(good | {"sentence": "a\ud800b"}),
    ]  # fmt: skip
    found = read(tmp_path / "filled", "\n".join(lines))
    assert [entry.reason if isinstance(entry, Rejected) else "" for entry in found] == [
        "", "wrong_type", "broken_json", "wrong_columns", "wrong_type", "control_characters", "undecodable",
    ]  # fmt: skip
    rejected = [entry for entry in found if isinstance(entry, Rejected)]
    assert rejected[2].detail == "there is no column sentence, rationale, worker; there are: id, Sentence"
    assert "Lost?" in rejected[2].answer.sentence
    assert all(json.dumps(entry, ensure_ascii=False).encode() for entry in rejected)


def test_a_table_without_the_columns_and_broken_rows(tmp_path: Path) -> None:
    found = read(tmp_path / "filled", "a,b\n1,what I wrote\n")
    assert [entry.reason for entry in found] == ["wrong_columns"]
    assert "what I wrote" in found[0].answer.sentence
    found = read(tmp_path / "filled", 'id,sentence,rationale,worker\ni,A.,,w\ni,A.\ni,"A.,,w\ni,B.,,w\n')
    assert [getattr(entry, "reason", "") for entry in found] == ["", "broken_row", "broken_row", ""]
    assert found[3].place.endswith("#4")
    assert read(tmp_path / "filled", "") == []


@given(
    st.lists(
        st.builds(
            Answer,
            st.just("f#1"),
            st.sampled_from([*BY_ID, "nowhere"]),
            st.sampled_from(["", "w1", "w2", "w3"]),
            st.sampled_from(["", "A dog runs.", "a dog runs", "The dog ran.", "A cat eats."]),
            st.just(""),
        ),
        max_size=12,
    )
)
def test_each_answer_is_valid_or_rejected_for_what_is_true_of_it(answers: list[Answer]) -> None:
    found = check_answers(answers, BY_ID)
    both = [*found.valid, *(rejected.answer for rejected in found.rejected)]
    assert Counter(both) == Counter(answers)
    assert all(answer.task in BY_ID and answer.worker and answer.sentence for answer in found.valid)
    assert max(Counter((answer.task, answer.worker) for answer in found.valid).values(), default=1) == 1
    keys = Counter((answer.task, answer.sentence.lower().rstrip(".")) for answer in found.valid)
    assert max(keys.values(), default=1) == 1
    for answer, reason, _ in found.rejected:
        others = [other for other in found.valid if other.task == answer.task]
        assert reason in REASONS
        assert {
            "unknown_id": answer.task == "nowhere",
            "no_sentence": not answer.sentence,
            "no_worker": not answer.worker,
            "duplicate_answer": any(other.worker == answer.worker for other in others),
            "duplicate_sentence": any(other.sentence.lower()[:5] == answer.sentence.lower()[:5] for other in others),
        }[reason]


def test_what_was_shown_is_not_taken_as_an_answer() -> None:
    shown = {
        task.id: task for task in make_tasks([Example(("dog", "run"), ("A dog runs.",))], 1, show_inspiration=True)
    }
    answer = Answer("f#1", next(iter(shown)), "w", "a dog runs", "")
    assert [entry.reason for entry in check_answers([answer], shown).rejected] == ["copied"]
    assert check_answers([answer], BY_ID).valid == [answer]


def test_the_columns_are_those_of_an_answer() -> None:
    assert sorted(COLUMNS) == ["id", "rationale", "sentence", "worker"]
