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
from conceptloom.annotation.tasks import write_tasks
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


def test_a_json_array_is_read_like_json_lines(tmp_path: Path) -> None:
    good = {"id": "i", "sentence": "A.", "rationale": "", "worker": "w"}
    path = tmp_path / "filled"
    records = [good, "text", {**good, "worker": 7}, {**good, "sentence": "\ud800"}, good]
    found = read(path, " " + json.dumps(records, indent=1))
    whole = Answer(f"{path}#1", "i", "w", "A.", "")
    assert [found[0], found[4]] == [whole, whole._replace(place=f"{path}#5")]
    reasons = [entry.reason for entry in found[1:4] if isinstance(entry, Rejected)]
    assert reasons == ["wrong_type", "wrong_type", "undecodable"]
    (broken,) = read(path, '[{"id": "i"},')
    assert isinstance(broken, Rejected) and broken.reason == "broken_json"
    path.write_bytes(b'[{"id": "i", "sentence": "na\xefve", "rationale": "", "worker": "w"}]')
    assert [one.reason for one in read_answers(str(path), SAME) if isinstance(one, Rejected)] == ["undecodable"]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-16-le", "cp949", "utf-8-sig"])
@pytest.mark.parametrize("is_json", [True, False])
def test_the_encoding_may_be_given(tmp_path: Path, encoding: str, is_json: bool) -> None:
    text = "A café." if encoding == "cp1252" else "개가 달린다."
    record = {"id": "i", "sentence": text, "rationale": "", "worker": "w"}
    table = f"id,sentence,rationale,worker\ni,{text},,w\n"
    path = tmp_path / "filled"
    path.write_bytes((json.dumps([record], ensure_ascii=False) if is_json else table).encode(encoding))
    assert list(read_answers(str(path), SAME, encoding)) == [Answer(f"{path}#1", "i", "w", text, "")]


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("is_json", [True, False])
def test_a_table_comes_back_with_and_without_its_mark(
    tmp_path: Path, marked: bool, encoding: str | None, is_json: bool
) -> None:
    """As `export` wrote it and a person filled it in; a program may have saved it without the mark."""
    write_tasks(str(tmp_path), TASKS)
    exported = (tmp_path / "tasks.csv").read_bytes()
    assert exported.startswith(b"\xef\xbb\xbfid,concepts,sentence,rationale,worker\n") and exported.count(b"\xef") == 1
    assert next(csv.reader(io.StringIO(exported.decode("utf-8-sig"))))[0] == "id"
    text = exported.decode("utf-8-sig").replace(",,,", ",고양이.,,w")
    if is_json:
        text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in csv.DictReader(io.StringIO(text)))
    written = "utf-8" if encoding in (None, "utf-8-sig") else encoding
    (tmp_path / "filled").write_bytes(("\ufeff" * marked + text).encode(written))
    found = list(read_answers(str(tmp_path / "filled"), SAME, encoding))
    assert [(one.task, one.worker, one.sentence) for one in found if isinstance(one, Answer)] == [
        (task.id, "w", "고양이.") for task in TASKS
    ]


def test_an_unknown_encoding_is_said(tmp_path: Path) -> None:
    (tmp_path / "filled").write_text("id\n")
    with pytest.raises(ConfigError, match="encoding 'klingon' is unknown"):
        list(read_answers(str(tmp_path / "filled"), SAME, "klingon"))


@pytest.mark.parametrize(
    ("sentence", "is_taken"),
    [
        ("{0} {1}", False),
        ("{0} {1}.", False),
        ("{0}, {1}", False),
        ("{1}/{0}", False),
        ("{1}#{0}", False),
        ("The {0} must {1}.", True),
        ("{0}", True),
        ("{1} {0}!", True),
    ],
)
def test_a_mere_list_of_the_concepts_is_no_sentence(sentence: str, is_taken: bool) -> None:
    """Words that are all concepts may be a sentence where they are not as they were shown."""
    task = TASKS[0]
    said = sentence.format(*task.concepts)
    found = check_answers([Answer("f#1", task.id, "w", said, "")], BY_ID)
    assert [entry.reason for entry in found.rejected] == ([] if is_taken else ["concept_list"])
    assert len(found.valid) == is_taken


def test_what_was_shown_is_not_taken_as_an_answer() -> None:
    shown = {
        task.id: task for task in make_tasks([Example(("dog", "run"), ("A dog runs.",))], 1, show_inspiration=True)
    }
    answer = Answer("f#1", next(iter(shown)), "w", "a dog runs", "")
    assert [entry.reason for entry in check_answers([answer], shown).rejected] == ["copied"]
    assert check_answers([answer], BY_ID).valid == [answer]


def test_the_columns_are_those_of_an_answer() -> None:
    assert sorted(COLUMNS) == ["id", "rationale", "sentence", "worker"]
