"""Annotation tasks: their files, and that they do not depend on the order of the input."""

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.annotation import make_tasks, read_tasks, write_tasks
from conceptloom.errors import InputError, OutputError
from conceptloom.examples import Example

CONCEPTS = st.lists(st.sampled_from(["ball", "bat", "cat", "dog", "eat"]), min_size=1, max_size=5, unique=True)
EXAMPLES = st.lists(
    st.builds(Example, CONCEPTS.map(tuple), st.lists(st.sampled_from(["A.", "B.", "C."]), min_size=1).map(tuple)),
    max_size=8,
)


@pytest.mark.slow
@settings(max_examples=60)
@given(EXAMPLES, st.randoms())
def test_a_task_for_each_distinct_set_whatever_the_order(examples: list[Example], random) -> None:
    tasks = make_tasks(examples, 42, show_inspiration=True)
    scenes: dict[frozenset, set] = {}
    for example in examples:
        scenes.setdefault(frozenset(example.concepts), set()).update(example.sentences)
    assert {frozenset(task.concepts): set(task.inspiration) for task in tasks} == scenes
    assert len(tasks) == len(scenes) == len({task.id for task in tasks})
    assert [task.id for task in tasks] == sorted(task.id for task in tasks)
    turned = [example._replace(concepts=tuple(random.sample(example.concepts, len(example.concepts)))) for example in
              random.sample(examples, len(examples))]  # fmt: skip
    assert make_tasks(turned, 42, show_inspiration=True) == tasks


@pytest.mark.slow
def test_every_order_is_as_likely_as_another() -> None:
    shown = [make_tasks([Example(("a", "b", "c"), ())], seed)[0].concepts for seed in range(1200)]
    counts = {order: shown.count(order) for order in set(shown)}
    assert len(counts) == 6
    # Chi-square with 5 degrees of freedom exceeds 20.5 once in a thousand times.
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 20.5


def test_inspiration_is_hidden_unless_it_is_asked_for(tmp_path: Path) -> None:
    examples = [Example(("dog", "run"), ('A "dog", | runs.', "Dogs run.")), Example(("eat",), ("I eat.",))]
    write_tasks(str(tmp_path / "hidden"), make_tasks(examples, 1))
    text = "".join(path.read_text() for path in (tmp_path / "hidden").iterdir())
    assert "Dogs run" not in text and "inspiration" not in text
    tasks = make_tasks(examples, 1, show_inspiration=True)
    write_tasks(str(tmp_path / "shown"), tasks, [2, 1])
    assert read_tasks(str(tmp_path / "shown" / "tasks.jsonl")) == tasks
    rows = list(csv.DictReader((tmp_path / "shown" / "tasks.csv").open(encoding="utf-8-sig", newline="")))
    assert [row["id"] for row in rows] == [tasks[0].id, tasks[0].id, tasks[1].id]
    assert [row["concepts"].split(", ") for row in rows[1:]] == [list(task.concepts) for task in tasks]
    assert [row["inspiration"] for row in rows[1:]] == [" | ".join(task.inspiration) for task in tasks]
    assert {row[name] for row in rows for name in ("sentence", "rationale", "worker")} == {""}


def test_files_that_may_be_filled_in_are_not_written_over(tmp_path: Path) -> None:
    tasks = make_tasks([Example(("a", "b"), ())], 1)
    write_tasks(str(tmp_path), tasks)
    (tmp_path / "tasks.jsonl").unlink()
    (tmp_path / "tasks.csv").write_text("filled")
    with pytest.raises(OutputError, match=r"tasks\.csv: this file exists already; choose another directory"):
        write_tasks(str(tmp_path), tasks)
    assert [path.name for path in tmp_path.iterdir()] == ["tasks.csv"]
    assert (tmp_path / "tasks.csv").read_text() == "filled"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: broken_json"),
        ("[1]", "line 2: a task has an id and a list of concepts"),
        ('{"id": "x"}', "line 2: a task has an id and a list of concepts"),
        ('{"id": "x", "concepts": ["a", ""]}', "line 2: a task has an id and a list of concepts"),
        ('{"id": "x", "concepts": ["a", "b"]}', "line 2: the id does not match the concepts"),
        (None, "line 2: task [0-9a-f]{20} occurs twice"),
    ],
)
def test_a_file_of_tasks_that_was_changed(tmp_path: Path, line: str | None, message: str) -> None:
    task = make_tasks([Example(("a", "b"), ())], 1)[0]
    good = json.dumps({"id": task.id, "concepts": task.concepts})
    (tmp_path / "t.jsonl").write_text(f"{good}\n{good if line is None else line}\n")
    with pytest.raises(InputError, match=rf"t\.jsonl: {message}"):
        read_tasks(str(tmp_path / "t.jsonl"))


def test_a_file_without_tasks(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text("\n")
    with pytest.raises(InputError, match=r"t\.jsonl: there are no tasks; name the tasks\.jsonl of the export"):
        read_tasks(str(tmp_path / "t.jsonl"))
