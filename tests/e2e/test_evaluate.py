"""`conceptloom evaluate` as a user runs it: in this process, on a runner, with a build; its table, files and errors."""

import csv
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from builds import data_rows, finished_cli, here, sample_build, write_lines
from engines import flink_server

import conceptloom.metrics.evaluation
import conceptloom.pipelines.evaluate
from conceptloom.metrics import PRESETS, Item, Metric, Options, Preset, mean_score
from conceptloom.metrics.evaluation import evaluate
from conceptloom.runners.direct import DirectRunner
from conceptloom.runners.flink import open_flink
from conceptloom.tasks.evaluate import ScoreShard

PRESET = "--preset=korean-commongen"
COUNT = 300


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, str]:
    """References of the sample build's train rows, each with two sentences, and predictions of two systems."""
    directory = tmp_path_factory.mktemp("evaluate")
    rows = data_rows(sample_build())["train"]
    rows = (rows * (COUNT // len(rows) + 1))[:COUNT]
    targets = [row["target"] for row in rows]
    references = (
        json.dumps({"concept-set": "#".join(row["concepts"]), "scene": [row["target"], other]}, ensure_ascii=False)
        for row, other in zip(rows, targets[1:] + targets[:1])
    )
    good = (target if number % 3 else f"{target[:12]} TV" for number, target in enumerate(targets))
    bad = (target[::2] for target in targets)
    return (
        str(write_lines(directory / "references.jsonl", references)),
        str(write_lines(directory / "good.txt", good)),
        str(write_lines(directory / "bad.txt", bad)),
    )


def test_people_beside_a_system_and_alone(files: tuple[str, str, str], tmp_path: Path) -> None:
    references, good, _ = files
    said = here(
        "evaluate", PRESET, f"--references={references}", f"--predictions={good}", "--people", f"--output={tmp_path}"
    )
    table = [re.split(r"\s{2,}", line.strip()) for line in said.stdout.splitlines()]
    assert table[:2] == [["metric", "good", "people"], ["items", str(COUNT), str(COUNT)]]
    assert "minus" not in said.stdout and ">people<" in (tmp_path / "evaluation.html").read_text("utf-8")
    found = pq.read_table(tmp_path / "sentences.parquet").to_pylist()
    assert [row["system"] for row in found] == ["good"] * COUNT + ["people"] * COUNT
    with (tmp_path / "leaderboard.csv").open(encoding="utf-8", newline="") as stream:
        assert [row["system"] for row in csv.DictReader(stream)] == ["good", "people"]
    alone = json.loads(here("evaluate", PRESET, f"--references={references}", "--people", "--json").stdout)
    assert alone["systems"] == json.loads((tmp_path / "scores.json").read_text("utf-8"))["systems"][1:]
    for arguments, cure in (([PRESET], "give --predictions FILE, or --people"), (["--preset=comve"], "--people")):
        wrong = here("evaluate", *arguments, f"--references={references}", *["--people"] * (len(cure) < 10))
        assert wrong.returncode == 1 and wrong.stderr.count("\n") == 1 and cure in wrong.stderr


def scores(report: dict[str, Any]) -> list[list[tuple[str, float]]]:
    return [[(score["name"], score["value"]) for score in system["scores"]] for system in report["systems"]]


def test_table_and_files(files: tuple[str, str, str], tmp_path: Path) -> None:
    references, good, bad = files
    said = here("evaluate", PRESET, f"--references={references}", "--predictions", good, bad, f"--output={tmp_path}")
    assert said.returncode == 0, said.stderr
    table = [re.split(r"\s{2,}", line.strip()) for line in said.stdout.splitlines()]
    report = json.loads((tmp_path / "scores.json").read_text("utf-8"))
    assert [system["name"] for system in report["systems"]] == ["good", "bad"]
    assert table[:2] == [["metric", "good", "bad"], ["items", str(COUNT), str(COUNT)]]
    for number, (one, other) in enumerate(zip(*(system["scores"] for system in report["systems"]))):
        cells = [
            f"{score['value']:.2f} [{', '.join(f'{end:.2f}' for end in score['interval'])}]" for score in (one, other)
        ]
        assert table[2 + number] == [one["name"], *cells]
        difference = next(row for row in report["comparisons"] if row["name"] == one["name"])["difference"]
        assert difference == pytest.approx(one["value"] - other["value"])
    for system in report["systems"]:
        against = f"|conceptloom:{report['version']}|references:{report['references']['digest']}"
        assert all(score["signature"].endswith(against) for score in system["scores"])
    assert scores(report)[0] > scores(report)[1]
    with (tmp_path / "leaderboard.csv").open(encoding="utf-8", newline="") as stream:
        board = list(csv.DictReader(stream))
    meteor = [dict(row)["METEOR"] for row in scores(report)]
    assert [(row["system"], row["METEOR"]) for row in board] == [
        ("good", f"{meteor[0]:.2f}"),
        ("bad", f"{meteor[1]:.2f}"),
    ]
    page = (tmp_path / "evaluation.html").read_text("utf-8")
    assert " minus " in page and page.count("Worst of ") == 2
    sentences = pq.read_table(tmp_path / "sentences.parquet").to_pylist()
    assert [row["system"] for row in sentences] == ["good"] * COUNT + ["bad"] * COUNT
    mean = sum(row["ROUGE-L"] for row in sentences[:COUNT]) / COUNT
    assert mean == pytest.approx(dict(scores(report)[0])["ROUGE-L"])


def by_json(files: Sequence[str], *arguments: object) -> dict[str, Any]:
    references, good, bad = files
    said = here(
        "evaluate",
        PRESET,
        f"--references={references}",
        f"--predictions={good}",
        f"--predictions={bad}",
        "--json",
        *arguments,
    )
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)


def test_a_runner_gives_the_same_to_the_last_digit(
    files: tuple[str, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = by_json(files)
    monkeypatch.setattr(conceptloom.pipelines.evaluate, "BLOCK", 7)
    assert by_json(files, "--runner=direct", "--workers=1", f"--output={tmp_path}") == alone
    assert not (tmp_path / "work").exists()
    monkeypatch.setattr(conceptloom.metrics.evaluation, "BLOCK", 11)
    assert by_json(files) == alone


def test_worker_processes(files: tuple[str, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conceptloom.pipelines.evaluate, "BLOCK", 64)
    assert by_json(files, "--runner=direct", "--workers=2") == by_json(files)


def test_flink(files: tuple[str, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conceptloom.pipelines.evaluate, "BLOCK", 100)
    references, good, _ = files
    alone = evaluate("korean-commongen", {}, references, "test", [good])
    where = ("--environment_type=LOOPBACK",)
    with flink_server() as server, open_flink(1, (f"--job_endpoint={server.endpoint}", *where)) as runner:
        rows = conceptloom.pipelines.evaluate.RowsByRunner(
            runner, ScoreShard("korean-commongen", (), str(tmp_path / "work"))
        )
        found = evaluate("korean-commongen", {}, references, "test", [good], rows_of_items=rows)
    assert [(score.name, score.value) for score in found.systems[0].scores] == [
        (score.name, score.value) for score in alone.systems[0].scores
    ]


def test_work_is_deleted_when_a_runner_fails(files: tuple[str, str, str], tmp_path: Path) -> None:
    class Failing(DirectRunner):
        def run(self, stage: str, construct: Any, directory: str | None = None) -> dict[str, int]:
            assert list((tmp_path / "work").iterdir())
            raise RuntimeError(stage)

    rows = conceptloom.pipelines.evaluate.RowsByRunner(
        Failing(), ScoreShard("korean-commongen", (), str(tmp_path / "work"))
    )
    with pytest.raises(RuntimeError, match="evaluate"):
        evaluate("korean-commongen", {}, files[0], "test", [files[1]], rows_of_items=rows)
    assert not (tmp_path / "work").exists()


def test_a_build_as_references(tmp_path: Path) -> None:
    build = sample_build()
    rows = data_rows(build)["validation"]
    lines = (json.dumps({"id": row["id"], "prediction": row["target"]}, ensure_ascii=False) for row in rows[::-1])
    predictions = write_lines(tmp_path / "echo.jsonl", lines)
    said = here(
        "evaluate", PRESET, f"--references={build}", "--split=validation", f"--predictions={predictions}", "--json"
    )
    found = dict(scores(json.loads(said.stdout))[0])
    assert found["ROUGE-L"] == 100
    assert found["METEOR"] > 99


def test_in_a_process_of_its_own_with_notes(files: tuple[str, str, str], tmp_path: Path) -> None:
    references, good, _ = files
    lines = Path(good).read_text("utf-8").split("\n")[:-1]
    cut = tmp_path / "cut.txt"
    cut.write_text("\n".join(["", *lines[1:]]), encoding="utf-8")
    said = finished_cli("evaluate", PRESET, f"--references={references}", f"--predictions={cut}")
    assert said.stdout.splitlines()[0].split() == ["metric", "cut"]
    assert f"note: {cut}: the last line has no line end" in said.stderr
    assert f"note: {cut}: 1 prediction is empty and scores 0 (line 1)" in said.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--preset=nothing"], "no preset is called 'nothing'; there are: "),
        ([PRESET, "--option=a=b"], "preset korean-commongen has no option 'a'; it has: device, kobert, mbert"),
        ([PRESET, "--option=mbert"], "--option takes NAME=VALUE, not 'mbert'"),
        ([PRESET, "--runner=flink"], "--runner flink needs --output"),
        ([PRESET, "--runner=nothing"], "no runner is called 'nothing'"),
        ([PRESET, "nowhere.txt"], "nowhere.txt: cannot be read: No such file"),
    ],
)
def test_errors(files: tuple[str, str, str], arguments: list[str], message: str) -> None:
    said = here("evaluate", f"--references={files[0]}", f"--predictions={files[1]}", *arguments)
    assert said.returncode == 1
    assert message in said.stderr
    assert len(said.stderr.splitlines()) == 1


def test_presets_are_listed() -> None:
    entries = json.loads(here("presets", "--json").stdout)
    assert entries["korean-commongen"]["options"].keys() == {"mbert", "kobert", "device"}
    said = here("presets").stdout
    assert all(name in said and entry["summary"] in said for name, entry in entries.items())


def test_option_of_beam_is_no_file(files: tuple[str, str, str]) -> None:
    said = here(
        "evaluate",
        PRESET,
        f"--references={files[0]}",
        f"--predictions={files[1]}",
        "--json",
        "--",
        "--no_auth",
        "--project",
        "x",
    )
    assert said.returncode == 0, said.stderr


def test_a_preset_with_files_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(references: str, predictions: str) -> list[Item]:
        pairs = zip(Path(references).read_text().split(), Path(predictions).read_text().split())
        return [Item(str(n), (), (gold,), given, "kind") for n, (gold, given) in enumerate(pairs)]

    def make(options: Options) -> list[Metric]:
        return [lambda items: [mean_score("Same", np.array([float(i.prediction in i.references) for i in items]), "x")]]

    monkeypatch.setitem(PRESETS._entries, "own", Preset("", make, items=read))
    (tmp_path / "gold").write_text("A B C D")
    (tmp_path / "given").write_text("A C C D")
    arguments = (f"--references={tmp_path / 'gold'}", f"--predictions={tmp_path / 'given'}", f"--output={tmp_path}")
    said = here("evaluate", "--preset=own", *arguments, "--json")
    assert said.returncode == 0, said.stderr
    assert scores(json.loads(said.stdout)) == [[("Same", 0.75)]]
    rows = pq.read_table(tmp_path / "sentences.parquet").to_pylist()
    assert [(row["references"], row["source"], row["Same"]) for row in rows][1:3] == [
        (["B"], "kind", 0.0),
        (["C"], "kind", 1.0),
    ]
