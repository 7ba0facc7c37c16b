"""`conceptloom evaluate` with the presets that compare systems: intervals, differences, pages, missing programs."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from conceptloom.cli import run

SETS = {"dog_N#run_V": "A dog runs.", "cat_N#sleep_V": "The cat is sleeping.", "ball_N#throw_V": "He throws a ball."}
GOOD = ["The dog runs.", "A cat sleeps.", "He threw the ball."]
BAD = ["Dog dog dog.", "", "A ball."]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    lines = [
        json.dumps({"concept_set": key, "scene": [text, text.upper()], "reason": []}) for key, text in SETS.items()
    ]
    contents = {"r.jsonl": lines, "good.txt": GOOD, "bad.txt": BAD, "third.txt": GOOD[::-1]}
    for name, texts in contents.items():
        (tmp_path / name).write_text("\n".join(texts) + "\n", "utf-8")
    return [str(tmp_path / name) for name in contents]


def _run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], preset: str, files: list[str], *more: str
) -> tuple[str, str]:
    arguments = ["evaluate", f"--preset={preset}", f"--references={files[0]}", "--predictions", *files[1:], *more]
    monkeypatch.setattr("sys.argv", ["conceptloom", *arguments])
    assert run() == 0
    said = capsys.readouterr()
    return said.out, said.err


def test_two_systems_are_compared(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--option=language=en", "--resamples=200", "--seed=7", f"--output={tmp_path / 'out'}", "--json")
    out, _ = _run(monkeypatch, capsys, "sound", files[:3], *options)
    found: dict[str, Any] = json.loads(out)
    assert found["resampling"] == {"resamples": 200, "seed": 7, "confidence": 0.95}
    first, second = ({score["name"]: score for score in system["scores"]} for system in found["systems"])
    for one in found["comparisons"]:
        values = [scores[one["name"]]["value"] for scores in (first, second)]
        # A single word has no order, so there is nothing to compare.
        expected = None if None in values else pytest.approx(values[0] - values[1])
        assert one["difference"] == expected
    assert {one["name"] for one in found["comparisons"] if one["difference"] is None} >= {"Order/input"}
    assert first["Coverage"]["value"] == 100
    assert first["Coverage"]["interval"] == [100, 100]
    low, high = second["Coverage"]["interval"]
    assert low < second["Coverage"]["value"] < high
    again, _ = _run(monkeypatch, capsys, "sound", files[:3], *options)
    assert again == out
    page = (tmp_path / "out" / "evaluation.html").read_text("utf-8")
    assert "First minus second" in page and "The dog runs." in page


def test_without_resamples_there_are_no_intervals(
    files: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, _ = _run(monkeypatch, capsys, "sound", files[:3], "--option=language=en", "--resamples=0")
    assert "Coverage" in out and "[" not in out.split("preset sound")[0] and "minus" not in out


def test_more_systems_have_a_page_each(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out"
    out, _ = _run(monkeypatch, capsys, "sound", files, "--option=language=en", "--resamples=20", f"--output={output}")
    assert "minus" not in out
    pages = sorted(path.name for path in output.glob("*.html"))
    assert pages == ["evaluation-1.html", "evaluation-2.html", "evaluation-3.html"]
    assert "third: 3 predictions" in (output / "evaluation-3.html").read_text("utf-8")


def test_missing_programs_are_noted(
    files: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    out, err = _run(monkeypatch, capsys, "commongen", files[:2])
    assert "note: METEOR is not computed, because it needs java" in err
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.strip()}
    assert rows["METEOR"] == ["–"] and rows["SPICE"] == ["–"]
    assert rows["Coverage"][0] == "100.00"
    answer, _ = _run(monkeypatch, capsys, "commongen", files[:2], "--json")
    scores = {score["name"]: score["value"] for score in json.loads(answer)["systems"][0]["scores"]}
    assert scores["METEOR"] is None and math.isfinite(scores["CIDEr"])


def test_answers_are_evaluated_by_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    contents = {
        "gold.csv": "1,A\n2,B\n3,C\n4,A\n",
        "one.csv": "4,A\n3,C\n2,B\n1,B\n",
        "two.csv": "1,C\n2,B\n3,C\n4,",
    }
    for name, text in contents.items():
        (tmp_path / name).write_text(text, "utf-8")
    out, _ = _run(monkeypatch, capsys, "comve", [str(tmp_path / name) for name in contents], "--json")
    systems = json.loads(out)["systems"]
    notes = [[(note["what"], note["times"]) for note in system["notes"]] for system in systems]
    assert notes == [[], [("no_final_newline", 1), ("empty_predictions", 1)]]
    assert [system["scores"][0]["value"] for system in systems] == [75, 50]
    assert [system["scores"][0]["name"] for system in systems] == ["Accuracy B"] * 2


@pytest.mark.slow
def test_a_line_for_each_reference_is_scored_as_one_for_each_set(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repeated = tmp_path / "lines.txt"
    repeated.write_text("".join(f"{text}\n" * 2 for text in GOOD), "utf-8")
    scores = []
    for path in (files[1], str(repeated)):
        out, said = _run(monkeypatch, capsys, "sound", [files[0], path], "--option=language=en", "--json")
        scores.append(json.loads(out)["systems"][0]["scores"])
        assert not said
    assert scores[0] == scores[1]
    assert {one["name"]: one["value"] for one in scores[1]}["Duplicates"] == 0


@pytest.mark.slow
def test_systems_of_other_items_have_a_page_each(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text("".join(f"{text}\n" * 2 for text in BAD), "utf-8")
    _run(monkeypatch, capsys, "commongen", [*files[:2], str(lines)], f"--output={tmp_path / 'out'}")
    pages = sorted(path.name for path in (tmp_path / "out").glob("*.html"))
    assert pages == ["evaluation-1.html", "evaluation-2.html"]
    board = (tmp_path / "out" / "leaderboard.csv").read_text("utf-8")
    assert "nan" not in board and "lines,commongen,6," in board
