"""Builds that were killed, changed, damaged, or run one stage at a time."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builds import (
    RECIPE,
    SAMPLE_ARGUMENTS,
    STAGES,
    Recorder,
    build,
    change_a_byte,
    cli,
    command,
    differing,
    environment,
    files_of,
    finished_cli,
    here,
    lines_input,
    many_sentences,
    sample_build,
    sample_captions,
    write_lines,
)

from conceptloom.errors import ConceptloomError, OutputError
from conceptloom.storage import FileInfo, list_files

LINES = 60_000
FIRST_FILE = {"ingest": "stages/1-ingest", "select": "stages/2-select", "split": "stages/3-split", "publish": "data"}
"""What appears in the output when a stage has begun to write."""
KILLS = [(STAGES[0], True), (STAGES[0], False), (STAGES[1], True), *((stage, False) for stage in STAGES[1:])]
"""Where a build is killed, one after the other, and whether as soon as the stage begins."""


def _wait(condition: Callable[[], Any], process: subprocess.Popen[str], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, f"the build ended by itself, with status {process.returncode}"
        assert time.monotonic() < end, "the build is stuck"
        time.sleep(0.002)


def _group(leader: int) -> list[int]:
    """The processes of a process group that still live."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split() if entry.name.isdigit() else []
        except OSError:
            continue
        if fields and int(fields[2]) == leader and fields[0] not in "ZX":
            found.append(int(entry.name))
    return found


def _kill_in(stage: str, output: Path, log: Path, arguments: list[str], *, at_once: bool) -> None:
    """Starts a build and kills its main process in a stage: when it begins, or when it has begun to write."""
    with log.open("w") as stream:
        process = subprocess.Popen(
            command(*arguments), env=environment(), stderr=stream, stdout=stream, start_new_session=True, text=True
        )
    try:
        _wait(lambda: f"stage {stage}: started" in log.read_text(), process)
        if not at_once:
            target = output / FIRST_FILE[stage]
            _wait(lambda: target.exists() and any(target.iterdir()), process)
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait(10) == -signal.SIGKILL
        assert not (output / "MANIFEST.json").exists()
        end = time.monotonic() + 10
        while _group(process.pid) and time.monotonic() < end:
            time.sleep(0.05)
        assert _group(process.pid) == [], "worker processes outlive the build"
    finally:
        if _group(process.pid):
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_a_build_killed_in_every_stage_ends_in_the_same_bytes(tmp_path: Path) -> None:
    corpus = write_lines(tmp_path / "raw" / "corpus.txt", many_sentences(LINES))
    common = ["build", RECIPE, f"--input=s={corpus}", "--workers=2", "--set=select.posting_limit=50"]
    finished_cli(*common, "--output", tmp_path / "whole")
    output, log = tmp_path / "killed", tmp_path / "log.txt"
    arguments = [*common, "--output", str(output)]
    for stage, at_once in KILLS:
        committed = [name for name in STAGES if list(output.glob(f"stages/*-{name}/MANIFEST.json"))]
        _kill_in(stage, output, log, arguments, at_once=at_once)
        said = log.read_text()
        assert [name for name in STAGES if f"stage {name}: done before, not run again" in said] == committed
    last = finished_cli(*arguments)
    assert "stage split: done before, not run again" in last.stderr
    assert differing(tmp_path / "whole", output) == []
    assert list(output.rglob("shuffle")) == []
    _nothing_is_done_again(output, arguments)


def _nothing_is_done_again(output: Path, arguments: list[str]) -> None:
    before = _times(output)
    again = finished_cli(*arguments)
    assert all(f"stage {stage}: done before, not run again" in again.stderr for stage in STAGES)
    assert "started" not in again.stderr
    assert _times(output) == before


def _times(directory: Path) -> dict[str, int]:
    return {name: path.stat().st_mtime_ns for name, path in files_of(directory).items()}


def _copy(target: Path) -> Path:
    """A copy of the finished build of the samples, with its times."""
    shutil.copytree(sample_build(), target)
    return target


def _rebuilt(output: Path, **settings: Any) -> Recorder:
    recorder = Recorder()
    build(output, observer=recorder, update=True, **settings)
    return recorder


def test_a_finished_build_is_not_touched(tmp_path: Path) -> None:
    output = _copy(tmp_path / "out")
    before = _times(output)
    recorder = _rebuilt(output)
    assert (recorder.ran, recorder.found) == ([], list(STAGES))
    assert _times(output) == before


@pytest.mark.parametrize(
    ("settings", "first"),
    [
        ({"ingest": {"rule": "exact"}}, "ingest"),
        ({"ingest": {"filters": {"off": ["vocative"], "options": {"length": {"maximum_characters": 30}}}}}, "ingest"),
        ({"limit": 100}, "ingest"),
        ({"select": {"posting_limit": 5}}, "select"),
        ({"select": {"scorer": "tfidf"}}, "select"),
        ({"split": {"test": 50}}, "split"),
        ({"split": {"policy": "random"}}, "split"),
        ({"publish": {"train_order": "curriculum"}}, "publish"),
    ],
)
def test_a_changed_setting_reruns_its_stage_and_those_after_it(
    tmp_path: Path, settings: dict[str, Any], first: str
) -> None:
    output = _copy(tmp_path / "out")
    before = _times(output)
    recorder = _rebuilt(output, **settings)
    at = STAGES.index(first)
    assert recorder.found == list(STAGES[:at])
    assert recorder.ran[0] == first
    for number, stage in enumerate(STAGES[:at], 1):
        folder = f"stages/{number}-{stage}/"
        kept = {name: time for name, time in _times(output).items() if name.startswith(folder)}
        assert kept == {name: time for name, time in before.items() if name.startswith(folder)} != {}
    build(tmp_path / "fresh", **settings)
    assert differing(output, tmp_path / "fresh") == []


def test_a_changed_setting_on_the_command_line(tmp_path: Path) -> None:
    output = _copy(tmp_path / "out")
    arguments = ["build", RECIPE, *SAMPLE_ARGUMENTS, "--output", output, "--set", "select.posting_limit=6"]
    said = finished_cli(*arguments, "--workers", 1, "--update").stderr
    assert "stage ingest: done before, not run again" in said
    assert all(f"stage {stage}: started" in said for stage in STAGES[1:])


def test_going_back_to_the_first_settings_gives_the_first_bytes(tmp_path: Path) -> None:
    output = _copy(tmp_path / "out")
    _rebuilt(output, select={"top_k": 1}, split={"test": 10, "validation": 0})
    assert not list((output / "data").glob("validation-*"))
    _rebuilt(output)
    assert differing(output, sample_build()) == []


def test_other_settings_do_not_change_a_finished_build_unasked(tmp_path: Path) -> None:
    output = _copy(tmp_path / "out")
    arguments = ["build", RECIPE, *SAMPLE_ARGUMENTS, "--output", output, "--set=select.posting_limit=6", "--set=seed=3"]
    for extra in ([], ["--dry-run"], ["--only=ingest"]):
        said = here(*arguments, *extra)
        assert said.returncode == 1
        (line,) = said.stderr.splitlines()
        assert "finished build with other settings (seed: 0 -> 3; select.posting_limit: 100 -> 6): --update" in line
        assert "--overwrite" in line and "--output" in line
    assert here(*arguments, "--update", "--overwrite").returncode == 1
    assert here(*arguments, "--update", "--dry-run").returncode == 0
    assert differing(output, sample_build()) == []


def test_a_setting_that_is_newer_than_the_build_had_its_default(tmp_path: Path) -> None:
    output = _copy(tmp_path / "out")
    path = output / "MANIFEST.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    del manifest["settings"]["ingest"]["complete_declaratives"]
    path.write_text(json.dumps(manifest), encoding="utf-8")
    build(output)
    with pytest.raises(OutputError, match=r"\(ingest.complete_declaratives: true -> false\)"):
        build(output, ingest={"complete_declaratives": False})
    manifest["settings"]["gone"] = {"long": ["ago"]}
    path.write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(OutputError, match=r'gone\.long: \["ago"\] -> not set'):
        build(output)


def test_an_unfinished_build_goes_on_with_other_settings(tmp_path: Path) -> None:
    build(tmp_path / "out", only="ingest")
    recorder = Recorder()
    build(tmp_path / "out", observer=recorder, select={"top_k": 1})
    assert (recorder.found, recorder.ran) == (["ingest"], list(STAGES[1:]))


def test_a_changed_input_is_read_again(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"split": {"test": 20, "validation": 10}}
    texts = sample_captions()
    path = write_lines(tmp_path / "raw" / "a.txt", texts)
    inputs = {"s": lines_input(path)}
    build(tmp_path / "out", inputs, **settings)
    write_lines(path, [*texts, "하얀 고양이가 붉은 담장 위에서 졸고 있다."])
    recorder = Recorder()
    build(tmp_path / "out", inputs, observer=recorder, **settings)
    assert recorder.ran == list(STAGES)
    build(tmp_path / "fresh", inputs, **settings)
    assert differing(tmp_path / "out", tmp_path / "fresh") == []


DAMAGED = [
    ("stages/1-ingest/sentences-00000.parquet", "ingest"),
    ("stages/1-ingest/rejected-00000.parquet", "ingest"),
    ("stages/1-ingest/MANIFEST.json", "ingest"),
    ("stages/2-select/index-00000.parquet", "select"),
    ("stages/3-split/statistics.json", "split"),
    ("stages/4-publish/MANIFEST.json", "publish"),
    ("data/train-00000-of-00001.parquet", "publish"),
    ("published/test-00000-of-00001.txt", "publish"),
    ("rejected/ingest-00000.parquet", "publish"),
]


@pytest.mark.parametrize(("name", "stage"), DAMAGED)
def test_a_deleted_file_is_made_again(tmp_path: Path, name: str, stage: str) -> None:
    output = _copy(tmp_path / "out")
    (output / name).unlink()
    recorder = _rebuilt(output)
    assert recorder.ran[0] == stage
    assert differing(output, sample_build()) == []
    assert (output / "MANIFEST.json").exists()


@pytest.mark.parametrize(("name", "stage"), [one for one in DAMAGED if "MANIFEST" not in one[0]])
def test_a_truncated_file_is_made_again(tmp_path: Path, name: str, stage: str) -> None:
    output = _copy(tmp_path / "out")
    os.truncate(output / name, 100)
    recorder = _rebuilt(output)
    assert recorder.ran[0] == stage
    assert differing(output, sample_build()) == []


READ = [
    ("1-ingest/sentences-00000.parquet", "2-select"),
    ("2-select/sentences-00000.parquet", "3-split"),
    ("3-split/sentences-00000.parquet", "4-publish"),
    ("1-ingest/rejected-00000.parquet", "4-publish"),
    ("2-select/index-00000.parquet", "4-publish"),
]
"""Files of stages, and a later stage that reads them."""


@pytest.mark.parametrize(("name", "reader"), READ)
def test_a_changed_byte_is_found_by_the_stage_that_reads_it(tmp_path: Path, name: str, reader: str) -> None:
    output = _copy(tmp_path / "out")
    changed = output / "stages" / name
    change_a_byte(changed)
    (output / "stages" / reader / "MANIFEST.json").unlink()
    with pytest.raises(OutputError) as raised:
        _rebuilt(output)
    assert str(raised.value).startswith(f"{changed} is not the file that its stage wrote, its content has changed")
    assert not (output / "MANIFEST.json").exists()
    changed.unlink()
    assert _rebuilt(output).ran[0] == name.partition("-")[2].partition("/")[0]
    assert differing(output, sample_build()) == []


def test_a_changed_byte_is_one_line_from_two_workers(tmp_path: Path) -> None:
    output = _copy(tmp_path / "out")
    changed = output / "stages" / "1-ingest" / "sentences-00000.parquet"
    change_a_byte(changed)
    arguments = ["build", RECIPE, *SAMPLE_ARGUMENTS, "--output", output, "--workers", 2, "--update"]
    said = cli(*arguments, "--set", "select.top_k=1")
    assert said.returncode == 1
    (error,) = [line for line in said.stderr.splitlines() if "error" in line]
    assert error.startswith(f"error: {changed} is not the file that its stage wrote")
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize("name", ["report.json", "README.md", "config.yaml", "MANIFEST.json"])
def test_a_deleted_document_is_written_again(tmp_path: Path, name: str) -> None:
    output = _copy(tmp_path / "out")
    (output / name).unlink()
    recorder = _rebuilt(output)
    assert recorder.ran == []
    assert (output / name).exists()
    assert differing(output, sample_build()) == []


@pytest.mark.parametrize("content", ["", "{", "[]", '{"name": "ingest"}', "\0"])
def test_a_broken_manifest_is_said(tmp_path: Path, content: str) -> None:
    output = _copy(tmp_path / "out")
    path = output / "stages" / "2-select" / "MANIFEST.json"
    path.write_text(content)
    with pytest.raises(OutputError, match=r"MANIFEST\.json.*--overwrite"):
        _rebuilt(output)


def test_what_a_killed_writer_left_is_cleared(tmp_path: Path) -> None:
    """Temporary files of writes that never ended do not stay beside the finished build, wherever they were."""
    output = _copy(tmp_path / "out")
    (output / "MANIFEST.json").unlink()
    (output / "data" / "train-00000-of-00001.parquet").unlink()
    for place in ("", "data", "stages/4-publish"):
        (output / place / f".writing-123-{'0' * 32}").write_bytes(b"half")
    (output / "stages" / "4-publish" / "MANIFEST.json").unlink()
    (output / "stages" / "4-publish" / "shuffle").mkdir()
    (output / "stages" / "4-publish" / "shuffle" / "blocks").write_bytes(b"of a stage that was killed")
    _rebuilt(output)
    assert list(output.rglob("shuffle")) == []
    assert [name for name in files_of(output) if ".writing-" in name] == []


def test_stage_by_stage(tmp_path: Path) -> None:
    for number, stage in enumerate(STAGES):
        recorder = Recorder()
        build(tmp_path / "out", only=stage, observer=recorder)
        assert (recorder.found, recorder.ran) == (list(STAGES[:number]), [stage])
        assert (tmp_path / "out" / "MANIFEST.json").exists() == (stage == STAGES[-1])
    assert differing(tmp_path / "out", sample_build()) == []


@pytest.mark.parametrize("stage", STAGES[1:])
def test_a_stage_out_of_order_is_refused(tmp_path: Path, stage: str) -> None:
    with pytest.raises(OutputError, match=r"stage ingest .* run it first"):
        build(tmp_path / "out", only=stage)
    assert not (tmp_path / "out").exists()


def test_a_stage_whose_input_was_made_with_other_settings_is_refused(tmp_path: Path) -> None:
    output = _copy(tmp_path / "out")
    with pytest.raises(OutputError, match=r"stage select .* run it first"):
        build(output, only="split", update=True, select={"top_k": 1})
    assert differing(output, sample_build()) == []


class _StoppedError(ConceptloomError):
    pass


class _StopAfter(Recorder):
    """Stops the build when so many stages are done."""

    def __init__(self, stages: int) -> None:
        super().__init__()
        self.stages = stages

    def finished(self, stage: str, manifest: Any) -> None:
        super().finished(stage, manifest)
        if len(self.ran) == self.stages:
            raise _StoppedError


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_a_build_that_stopped_between_stages_goes_on(tmp_path: Path, stages: int) -> None:
    with pytest.raises(_StoppedError):
        build(tmp_path, observer=_StopAfter(stages))
    assert not (tmp_path / "MANIFEST.json").exists()
    recorder = _rebuilt(tmp_path)
    assert (recorder.found, recorder.ran) == (list(STAGES[:stages]), list(STAGES[stages:]))
    assert differing(tmp_path, sample_build()) == []


def test_a_failed_rebuild_leaves_nothing_that_looks_finished(tmp_path: Path) -> None:
    """The stage that is changed takes the old data set's manifest away before it touches a file."""
    output = _copy(tmp_path / "out")
    with pytest.raises(ConceptloomError, match="policy unseen-pairs can give"):
        build(output, update=True, split={"test": 100_000})
    assert not (output / "MANIFEST.json").exists()
    assert not (output / "data").exists()


def test_listing_passes_over_unfinished_files(tmp_path: Path) -> None:
    output = _copy(tmp_path / "out")
    (output / "data" / f".writing-1-{'a' * 32}").write_bytes(b"half")
    found: list[FileInfo] = list_files(str(output / "data"))
    assert [Path(info.path).name for info in found] == sorted(path.name for path in (sample_build() / "data").iterdir())
