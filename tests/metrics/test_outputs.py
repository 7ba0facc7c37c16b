"""Names of systems, and the folder of an evaluation: a rerun replaces its own files and refuses foreign ones."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.cli import run
from conceptloom.metrics.naming import system_names


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["o/t5-v1.1-large.txt"], ["t5-v1.1-large"]),
        (["t5-v1.1"], ["t5-v1.1"]),
        (["a/GPT2.TXT", "a/gpt2.jsonl.gz", "a/x.gz"], ["GPT2", "gpt2", "x"]),
        (["a/x.txt", "b/x.txt"], ["a/x.txt", "b/x.txt"]),
        (["a/x.txt", "a/x.txt", "y.txt"], ["a/x.txt", "a/x.txt (2)", "y"]),
        (["gs://b/people.txt", "people"], ["gs://b/people.txt", "people (2)"]),
        ([".txt"], [".txt"]),
    ],
)
def test_names_of_systems(paths: list[str], names: list[str]) -> None:
    assert system_names(paths, ("people",)) == names


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["a/x.txt", "b/x.txt", "x", "x.y.txt", "people", "a/x.txt (2)"]), max_size=6))
def test_names_are_all_different(paths: list[str]) -> None:
    names = system_names(paths, ("people",))
    assert len(set(names)) == len(names) == len(paths)


@pytest.fixture
def evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    (tmp_path / "gold.csv").write_text("1,A\n2,B\n", "utf-8")
    (tmp_path / "one.csv").write_text("1,A\n2,C\n", "utf-8")
    files = (f"--references={tmp_path / 'gold.csv'}", f"--predictions={tmp_path / 'one.csv'}")
    command = ["conceptloom", "evaluate", "--preset=comve", *files, f"--output={tmp_path / 'out'}"]
    monkeypatch.setattr("sys.argv", command)
    return command


def test_a_rerun_replaces_its_own_files(evaluate: list[str], tmp_path: Path) -> None:
    assert run() == 0
    out = tmp_path / "out"
    names = {path.name for path in out.iterdir()}
    scores = json.loads((out / "scores.json").read_text("utf-8"))
    # As an earlier version left it, with a page for each system, beside a file of somebody else's.
    del scores["groups"]
    (out / "scores.json").write_text(json.dumps(scores), "utf-8")
    for name in ("evaluation-1.html", "evaluation-people.html", "evaluation-2.html", "notes.txt"):
        (out / name).write_text("x", "utf-8")
    assert run() == 0
    assert {path.name for path in out.iterdir()} == {*names, "evaluation-2.html", "notes.txt"}


@pytest.mark.parametrize("name", ["scores.json", "leaderboard.csv", "sentences.parquet", "evaluation.html"])
@pytest.mark.parametrize("content", ["{}", "my own"])
def test_a_foreign_file_is_not_overwritten(
    evaluate: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: str
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text(content, "utf-8")
    assert run() != 0
    assert (
        f"{tmp_path / 'out' / name} was not written by an evaluation: choose another --output"
        in capsys.readouterr().err
    )
    assert [path.read_text("utf-8") for path in (tmp_path / "out").iterdir()] == [content]
