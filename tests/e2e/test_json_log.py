"""`--log-format json`: what a scheduler or a log collector reads of a build, and the statuses of a command."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from builds import RECIPE, SAMPLE_ARGUMENTS, STAGES, Said, build, cli, here, lines_input, plain_sentences, write_lines

from conceptloom.cli import run
from conceptloom.cli.json_log import is_wanted

JSON = "--log-format=json"


def events_of(stderr: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stderr.splitlines()]


def ended(said: Said, status: int) -> dict[str, Any]:
    """The last line of a command that is refused before it says anything else."""
    (event,) = events_of(said.stderr)
    assert (said.returncode, event["event"], event["status"]) == (status, "ended", status)
    return event


@pytest.mark.slow
def test_each_stage_is_told_with_its_counts(tmp_path: Path) -> None:
    output = tmp_path / "out"
    said = cli("build", RECIPE, *SAMPLE_ARGUMENTS, "--output", output, "--workers", 1, JSON, "--json")
    *events, last = events_of(said.stderr)
    assert (said.returncode, last["event"], last["status"], last["error"]) == (0, "ended", 0, None)
    report = json.loads(said.stdout)
    assert [event["stage"] for event in events if event["event"] == "stage_finished"] == list(STAGES)
    assert [event["input"] for event in events if event["event"] == "input"] == report["inputs"]
    for event in events:
        assert event["build"] == str(output)
        assert datetime.fromisoformat(event["time"]).utcoffset() == timedelta(0)
        if event["event"] == "stage_finished":
            ledger = report["stages"][event["stage"]].values()
            assert (
                event["read"] == sum(one["read"] for one in ledger) == event["kept"] + sum(event["rejected"].values())
            )
            assert event["seconds"] == report["seconds"][event["stage"]] <= last["seconds"]
    again = events_of(here("build", RECIPE, *SAMPLE_ARGUMENTS, "--output", output, "--workers", 1, JSON).stderr)
    assert [event["stage"] for event in again if event["event"] == "stage_reused"] == list(STAGES)


@pytest.mark.slow
def test_a_gate_that_says_no_is_status_3(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.txt", plain_sentences())
    build(tmp_path / "1", {"s": lines_input(path)})
    *events, last = events_of(
        here("promote", tmp_path / "1", "--set", "gates.bounds={statistics.train.sentences: {max: 1}}", JSON).stderr
    )
    assert last["status"] == 3 and last["error"].startswith("gates failed: ")
    assert [event["of"] for event in events if event["event"] == "gate" and not event["passed"]]
    assert events[-1]["event"] == "promotion" and not events[-1]["promoted"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--nope"], "No such option: --nope"),
        ([], "Missing option '--output'"),
        (["--output=/tmp/none"], "no input: give --input NAME=PATTERN"),
        (["--output=/tmp/none", "--input=x"], "--input expects NAME[:FORMAT]=PATTERN, not 'x'"),
        (["--output=/tmp/none", "--input=x=y", "z"], "'z' is not an option"),
        (["--output=/tmp/none", "--input=x=y", "--workers=0"], "Invalid value for '--workers'"),
    ],
)
def test_wrong_usage_is_status_2_in_the_last_line_too(arguments: list[str], error: str) -> None:
    assert error in ended(here("build", RECIPE, *arguments, JSON), 2)["error"]
    said = here("build", RECIPE, *arguments)
    assert said.returncode == 2 and error in said.stderr


def test_a_wrong_input_is_status_1(tmp_path: Path) -> None:
    said = here("build", RECIPE, f"--input=s={tmp_path}/none.txt", "--output", tmp_path / "out", JSON)
    assert ended(said, 1)["error"].startswith(f"{tmp_path}/none.txt: no such file")


def test_what_was_not_foreseen_is_in_the_last_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> None:
        raise ZeroDivisionError("out of the blue")

    monkeypatch.setattr("conceptloom.cli.commands.run_command", fails)
    monkeypatch.setattr("sys.argv", ["conceptloom", "formats", JSON])
    assert run() == 1
    (event,) = events_of(capsys.readouterr().err)
    assert event["error"].endswith("ZeroDivisionError: out of the blue\n") and event["status"] == 1
    monkeypatch.setattr("sys.argv", ["conceptloom", "formats"])
    with pytest.raises(ZeroDivisionError):
        run()


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["build", "--log-format=json"], True),
        (["build", "--log-format", "json"], True),
        (["build", "--log-format=text"], False),
        (["build", "json", "--log-format"], False),
        (["build", "--", "--log-format=json"], False),
        ([], False),
    ],
)
def test_the_log_is_asked_for_by_its_option_alone(arguments: list[str], wanted: bool) -> None:
    assert is_wanted(arguments) is wanted
