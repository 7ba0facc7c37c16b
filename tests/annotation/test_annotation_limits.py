"""Limits on answers and on workers, perplexities, and the output of an import."""

import json
from collections import Counter
from pathlib import Path
from statistics import fmean, median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.annotation import (
    Answer,
    Limits,
    Measures,
    apply_limits,
    make_perplexity_scorer,
    make_tasks,
    measure_answers,
    read_tasks,
)
from conceptloom.annotation.coverage import concept_places, coverage
from conceptloom.annotation.importing import Import, import_answers
from conceptloom.annotation.tasks import write_tasks
from conceptloom.errors import ConfigError, InputError, OutputError
from conceptloom.examples import Example
from conceptloom.hashing import text_id
from conceptloom.readers.published import read_examples
from conceptloom.statistics.files import load_examples

SHARES = st.sampled_from([0.0, 1 / 3, 0.5, 2 / 3, 1.0])
MEASURES = st.builds(Measures, SHARES, st.integers(0, 4), st.one_of(st.none(), st.sampled_from([1.0, 50.0, 900.0])))
LIMITS = st.builds(
    Limits, st.one_of(st.none(), SHARES), st.one_of(st.none(), st.integers(0, 4)), st.sampled_from([None, 60.0])
)


def test_where_concepts_stand() -> None:
    places = concept_places(
        [("dog", "throw", "skiing"), ("leaf", "leave", "cat")], ["He is skiing as dogs threw it.", "It leaves."]
    )
    assert places == [[4, 5, 2], [1, 1, None]]
    assert [coverage(each) for each in places] == [1.0, 2 / 3]


def meets(limits: Limits, coverage: float, rationale: float, perplexity: float | None) -> bool:
    return (
        (limits.coverage is None or coverage >= limits.coverage - 1e-9)
        and (limits.rationale is None or rationale >= limits.rationale - 1e-9)
        and (limits.perplexity is None or perplexity is None or perplexity <= limits.perplexity)
    )


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from("xyz"), MEASURES), max_size=8), LIMITS, LIMITS, st.integers(1, 3))
def test_limits_against_their_definition(
    entries: list[tuple[str, Measures]], single: Limits, workers: Limits, least: int
) -> None:
    answers = [Answer(f"f#{at}", "t", worker, "s", "") for at, (worker, _) in enumerate(entries)]
    judged = apply_limits(answers, [measures for _, measures in entries], single, workers, least)
    taken = {answer.place for answer, _ in judged.taken}
    for answer, (worker, measures) in zip(answers, entries):
        own = [each for name, each in entries if name == worker]
        perplexities = [each.perplexity for each in own if each.perplexity is not None]
        trusted = len(own) < least or meets(
            workers, fmean(each.coverage for each in own), fmean(each.rationale for each in own),
            median(perplexities) if perplexities else None,
        )  # fmt: skip
        assert (answer.place in taken) == (trusted and meets(single, *measures))
        assert judged.workers[worker].answers == len(own)
        assert bool(judged.workers[worker].reason) == (not trusted)
    assert len(judged.taken) + len(judged.rejected) == len(answers)
    assert sum(record.taken for record in judged.workers.values()) == len(judged.taken)
    assert all(one.reason.startswith("worker_") == bool(judged.workers[one.answer.worker].reason)
               for one in judged.rejected)  # fmt: skip


@pytest.fixture
def tasks(tmp_path: Path) -> str:
    examples = [Example(("dog", "run"), ()), Example(("cat", "eat", "fish"), ()), Example(("ball", "kick"), ())]
    write_tasks(str(tmp_path / "out"), make_tasks(examples, 3))
    return str(tmp_path / "out" / "tasks.jsonl")


def filled(tasks: str, rows: list[tuple[str, str, str, str]]) -> str:
    """Rows of (a concept of the task, sentence, rationale, worker)."""
    ids = {concept: task.id for task in read_tasks(tasks) for concept in task.concepts}
    path = Path(tasks).with_name("filled.jsonl")
    records = [
        {"id": ids[concept], "sentence": text, "rationale": why, "worker": who} for concept, text, why, who in rows
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


ROWS = [
    ("dog", "A dog runs.", "Dogs have legs.", "ann"),
    ("dog", "Two dogs ran home.", "They do.", "bob"),
    ("cat", "The cat is eating a fish.", "Cats eat fish.", "ann"),
    ("cat", "The cat sleeps.", "Why not?", "bob"),
    ("cat", "Fish eat cats at night.", "", "cyd"),
]


def test_an_import_leaves_what_its_readers_read_back(tasks: str, tmp_path: Path) -> None:
    path, output = filled(tasks, ROWS), tmp_path / "result"
    report = import_answers([path, path], Import(tasks, references=2), str(output))
    assert report["answers"] == {"read": 5, "taken": 4, "rejected": {"coverage": 1}}
    assert report["sets"] == {"tasks": 3, "with_references": 2, "open": 1, "references_wanted": 2}
    published = list(read_examples(str(output / "references.jsonl")))
    assert {frozenset(one.concepts): one.sentences for one in published} == {
        frozenset(("dog", "run")): ("A dog runs.", "Two dogs ran home."),
        frozenset(("cat", "eat", "fish")): ("The cat is eating a fish.", "Fish eat cats at night."),
    }
    assert load_examples(str(output / "references_src.txt")) == published
    reasons = [json.loads(line)["reason"] for line in (output / "references.jsonl").open()]
    assert sorted(reasons) == [["Cats eat fish.", ""], ["Dogs have legs.", "They do."]]
    (rejected,) = map(json.loads, (output / "rejected.jsonl").open())
    assert rejected["sentence"] == "The cat sleeps." and rejected["place"] == f"{path}#4"
    assert rejected["reason"] == "coverage" and rejected["detail"] == "0.33, at least 1 is wanted"
    (still,) = map(json.loads, (output / "open.jsonl").open())
    assert sorted(still["concepts"]) == ["ball", "kick"]
    assert (output / "open.csv").read_text().count(still["id"]) == 2
    assert json.loads((output / "report.json").read_text()) == report
    assert {task.concepts for task in read_tasks(tasks)} >= {one.concepts for one in published}
    with pytest.raises(OutputError, match="exists already; choose another directory"):
        import_answers([path], Import(tasks), str(output))


def test_a_worker_is_left_out_with_all_answers(tasks: str, tmp_path: Path) -> None:
    limits = Limits(rationale=2)
    chosen = Import(tasks, single=Limits(), workers=limits)
    report = import_answers([filled(tasks, ROWS)], chosen, str(tmp_path / "result"))
    assert report["answers"]["rejected"] == {"worker_rationale": 1}
    assert report["workers"]["cyd"]["reason"] == "rationale" and report["workers"]["cyd"]["taken"] == 0
    assert report["workers"]["bob"] == {
        "answers": 2, "taken": 2, "coverage": 0.6667, "rationale": 2.0, "perplexity": None, "reason": "", "detail": "",
    }  # fmt: skip


def test_perplexities_from_a_table(tasks: str, tmp_path: Path) -> None:
    path, table = filled(tasks, ROWS), tmp_path / "table.csv"
    import_answers([path], Import(tasks), str(tmp_path / "first"))
    files = [tmp_path / "first" / name for name in ("answers.jsonl", "rejected.jsonl")]
    answers = [json.loads(line) for file in files for line in file.open()]
    table.write_text("id,perplexity\n" + "".join(f"{a['sentence_id']}, {len(a['sentence'])}\n" for a in answers))
    chosen = Import(tasks, single=Limits(perplexity=20), perplexity=str(table))
    report = import_answers([path], chosen, str(tmp_path / "second"))
    expected = Counter(len(text) <= 20 for _, text, _, _ in ROWS)
    assert (report["answers"]["taken"], report["answers"]["rejected"]["perplexity"]) == (
        expected[True],
        expected[False],
    )
    assert report["perplexity"] == str(table)
    assert report["workers"]["ann"]["perplexity"] == median([len("A dog runs."), len("The cat is eating a fish.")])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,1\na,2\n", "line 2: a has two perplexities"),
        ("a,0.5\n", "line 1: expected id,perplexity with a number of at least 1"),
        ("a,nan\n", "line 1: expected id,perplexity with a number of at least 1"),
        ("id,perplexity\n\na\n", "line 3: expected id,perplexity with a number of at least 1"),
        (f"{text_id('A.')},5\n", r"no perplexity for 1 of 2 sentences, such as [0-9a-f]{20} \(B\.\); import once"),
    ],
)
def test_invalid_tables(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "table.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        make_perplexity_scorer(str(tmp_path / "table.csv")).perplexities(["A.", "B."])


def test_wrong_limits(tasks: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the least coverage is a share from 0 to 1, not 1.5"):
        Limits(coverage=1.5)
    with pytest.raises(ConfigError, match="a limit on perplexity needs --perplexity"):
        import_answers([filled(tasks, ROWS)], Import(tasks, workers=Limits(perplexity=9)), str(tmp_path / "x"))
    with pytest.raises(InputError, match=r"none of 1 answers can be taken \(no_worker 1\).*filled\.jsonl#1"):
        import_answers([filled(tasks, [("dog", "A dog runs.", "", "")])], Import(tasks), str(tmp_path / "x"))
    assert not (tmp_path / "x").exists()


def test_measures_of_the_published_sentences(tasks: str) -> None:
    by_id = {task.id: task for task in make_tasks([Example(("dog", "run"), ())], 3)}
    (measured,) = measure_answers([Answer("f#1", next(iter(by_id)), "w", "The dog sat.", "It isn't so.")], by_id)
    assert measured == Measures(0.5, 4, None)
