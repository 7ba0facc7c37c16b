"""`conceptloom evaluate` with the presets that compare systems: intervals, differences, pages, missing programs."""

import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from needed import needs_captions

from conceptloom.cli import run
from conceptloom.metrics import Score
from conceptloom.metrics.evaluation import Evaluation, System
from conceptloom.metrics.groups import make_groups
from conceptloom.metrics.inputs.references import References
from conceptloom.metrics.resampling.significance import holm

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
    assert "good minus bad" in page and "The dog runs." in page


def test_without_resamples_there_are_no_intervals(
    files: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, _ = _run(monkeypatch, capsys, "sound", files[:3], "--option=language=en", "--resamples=0")
    assert "Coverage" in out and "[" not in out.split("preset sound")[0] and "minus" not in out


def _compared(found: dict[str, Any]) -> set[tuple[str, str]]:
    return {(one["first"], one["second"]) for one in found["comparisons"]}


def test_more_systems_share_a_page_and_are_compared_with_the_best(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out"
    options = ("--option=language=en", "--resamples=20", f"--output={output}", "--group=all=*", "--group=two=b*,third")
    out, _ = _run(monkeypatch, capsys, "sound", files, *options)
    assert "minus good" in out and "all: mean ± standard deviation of 3" in out
    assert [path.name for path in output.glob("*.html")] == ["evaluation.html"]
    page = (output / "evaluation.html").read_text("utf-8")
    assert "third: 3 predictions" in page and "bad minus good" in page and "all: good, bad, third" in page
    found = json.loads((output / "scores.json").read_text("utf-8"))
    assert _compared(found) == {("bad", "good"), ("third", "good")}
    assert [group["systems"] for group in found["groups"]] == [["good", "bad", "third"], ["bad", "third"]]
    for one in found["comparisons"]:
        corrected = {name: one[f"{name}_holm"] for name in ("bootstrap", "permutation")}
        assert all(value is None or one[f"{name}_p"] <= value <= 1 for name, value in corrected.items())


def test_a_baseline_is_chosen_by_name(
    files: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--option=language=en", "--resamples=20", "--json")
    for name, expected in (("bad", {("good", "bad")}), ("best", {("bad", "good")})):
        out, _ = _run(monkeypatch, capsys, "sound", files[:3], *options, f"--baseline={name}")
        assert _compared(json.loads(out)) == expected


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--baseline=worst", "no system is called 'worst'; there are: good, bad, best"),
        ("--group=x", "--group takes NAME=SYSTEM,SYSTEM,…, not 'x'"),
        ("--group=x=none*", "--group x: no system is called 'none*'; there are: good, bad"),
        ("--group=x=good", "--group x has one system, good; a mean needs two or more"),
    ],
)
def test_systems_that_are_not_there_are_refused(
    files: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str, message: str
) -> None:
    arguments = ["evaluate", "--preset=sound", f"--references={files[0]}", "--predictions", *files[1:3]]
    monkeypatch.setattr("sys.argv", ["conceptloom", *arguments, "--option=language=en", "--resamples=20", option])
    assert run() != 0
    assert message in capsys.readouterr().err


def by_closed_testing(ps: list[float]) -> list[float]:
    """Holm (1979): the largest of the p-values that Bonferroni gives the sets which a difference is in."""
    places = range(len(ps))
    sets = [some for size in range(1, len(ps) + 1) for some in combinations(places, size)]
    return [max(min(1.0, len(some) * min(ps[at] for at in some)) for some in sets if place in some) for place in places]


def test_holm_has_the_figures_of_statsmodels() -> None:
    # statsmodels 0.14, multipletests(…, method="holm"); R's p.adjust has the same.
    assert holm([0.01, 0.02, 0.03, 0.04, 0.05]) == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_closed_testing(ps: list[float]) -> None:
    assert holm(ps) == pytest.approx(by_closed_testing(ps))
    with_gaps = holm([math.nan, *ps])
    assert math.isnan(with_gaps[0]) and with_gaps[1:] == holm(ps)


@pytest.mark.parametrize(
    ("values", "mean", "deviation"),
    [
        # Korean CommonGen, table 6: mT5-small's BLEU-3 and ROUGE-2, mT5-large's BLEU-3, by the seeds 42 to 82.
        ((31.58, 31.33, 30.71, 31.01, 31.32), 31.19, 0.34),
        ((45.80, 45.85, 45.42, 45.63, 45.75), 45.69, 0.17),
        ((36.94, 36.67, 37.07, 36.86, 37.48), 37.00, 0.30),
    ],
)
def test_groups_are_the_papers_means_and_deviations(values: tuple[float, ...], mean: float, deviation: float) -> None:
    systems = [System(f"seed-{n}", "", None, None, [Score("M", value, None, "")]) for n, value in enumerate(values)]
    found = Evaluation("p", {}, References("", None), systems)
    (group,) = make_groups(["seeds=seed-*"], found)
    assert (group.scores[0].mean, group.scores[0].deviation) == pytest.approx((mean, deviation), abs=0.011)


@needs_captions
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
@needs_captions
def test_systems_of_other_items_share_a_page(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text("".join(f"{text}\n" * 2 for text in BAD), "utf-8")
    _run(monkeypatch, capsys, "commongen", [*files[:2], str(lines)], f"--output={tmp_path / 'out'}")
    pages = sorted(path.name for path in (tmp_path / "out").glob("*.html"))
    assert pages == ["evaluation.html"]
    board = (tmp_path / "out" / "leaderboard.csv").read_text("utf-8")
    assert "nan" not in board and "lines,commongen,6," in board
