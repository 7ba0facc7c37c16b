"""Promotion of real builds by the command line: gates, the switch, and what stays as it was."""

import json
import os
import shutil
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builds import (
    RECIPE,
    STAGES,
    build,
    change_a_byte,
    cli,
    data_rows,
    differing,
    digests,
    here,
    lines_input,
    plain_sentences,
    write_lines,
)

from conceptloom import storage
from conceptloom.errors import OutputError
from conceptloom.manifest import read_manifest
from conceptloom.schemas import DATA
from conceptloom.tables import write_table


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three builds, the last one of half of the corpus. Not to be changed."""
    place = tmp_path_factory.mktemp("promote")
    texts = plain_sentences()
    for name, count in (("1", 300), ("2", 310), ("3", 150)):
        path = write_lines(place / f"{name}.txt", texts[:count])
        build(place / "builds" / name, {"lines": lines_input(path)})
    return place / "builds"


@pytest.fixture
def builds(made: Path, tmp_path: Path) -> Path:
    """A copy of them."""
    return Path(shutil.copytree(made, tmp_path / "builds"))


def promoted(builds: Path, name: str, *arguments: object) -> dict[str, Any]:
    said = here("promote", builds / name, "--json", *arguments)
    assert said.returncode == 0, said.stderr
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def test_a_grown_build_takes_over_and_a_shrunk_one_does_not(builds: Path) -> None:
    before = {name: digests(builds / name) for name in "123"}
    assert promoted(builds, "1")["before"] is None
    assert promoted(builds, "2")["before"] == str(builds / "1")
    said = cli("promote", builds / "3")
    assert said.returncode == 3
    (line,) = said.stderr.splitlines()
    sizes = [len(data_rows(builds / name)["train"]) for name in "23"]
    fall = 100 * (sizes[1] - sizes[0]) / sizes[0]
    assert line.startswith(f"error: gates failed: max_fall train: {fall:.2f} % ({sizes[0]} to {sizes[1]}), the limit")
    assert line.endswith(f"{builds / '3'} is kept, {builds / 'current'} still points at {builds / '2'}")
    table = [row.split() for row in said.stdout.splitlines()]
    assert table[0] == ["gate", "of", "limit", "measured", "passed"]
    assert [(row[0], row[1], row[-1]) for row in table[1:3]] == [
        ("max_fall", "train", "NO"),
        ("max_fall", "validation", "NO"),
    ]
    assert os.readlink(builds / "current") == "2"
    assert {name: digests(builds / name) for name in "123"} == before
    assert data_rows(builds / "current") == data_rows(builds / "2")


def test_what_was_promoted_can_be_promoted_and_built_again(builds: Path, made: Path) -> None:
    promoted(builds, "1")
    said = here("promote", builds / "current")
    assert said.returncode == 0 and said.stdout.splitlines()[-1].endswith("/1, as before")
    texts = made.parent / "1.txt"
    context = build(builds / "1", {"lines": lines_input(texts)}, gates={"max_fall": 0.5})
    assert [manifest.name for manifest in context.manifests.values()] == list(STAGES)
    assert promoted(builds, "1")["verdicts"][0]["limit"] == "-50 %"


def test_the_current_build_is_not_changed(builds: Path, made: Path) -> None:
    """Others read it: what would change it is refused before a file of it is touched."""
    promoted(builds, "1")
    before = digests(builds / "1")
    for directory in (builds / "1", builds / "current"):
        with pytest.raises(OutputError, match="is the current build; other inputs"):
            build(directory, {"lines": lines_input(made.parent / "2.txt")})
    same = [f"--input=lines:lines={made.parent / '1.txt'}", "--output", builds / "1"]
    assert "is the current build" in here("build", RECIPE, *same, "--overwrite").stderr
    assert digests(builds / "1") == before
    (builds / "1" / "data" / "test-00000-of-00001.parquet").unlink()
    build(builds / "1", {"lines": lines_input(made.parent / "1.txt")})
    assert digests(builds / "1") == before
    # What was mended was finished anew.
    promoted(builds, "2", "--backwards")
    build(builds / "1", {"lines": lines_input(made.parent / "2.txt")}, update=True)
    assert data_rows(builds / "1") == data_rows(builds / "2")


def test_gates_change_no_stage(made: Path, builds: Path) -> None:
    def stages(directory: Path) -> list[str]:
        return [
            (found := read_manifest(str(path))) and found.fingerprint for path in sorted(directory.glob("stages/*-*"))
        ]

    gates = {"leak": False, "frozen": True}
    build(builds / "1", {"lines": lines_input(made.parent / "1.txt")}, update=True, gates=gates)
    assert stages(builds / "1") == stages(made / "1")
    found = pq.read_table(builds / "1" / "data").to_pylist()
    assert found == pq.read_table(made / "1" / "data").to_pylist()


def tamper(directory: Path, row: dict[str, Any]) -> None:
    """Adds a row to train, and makes the manifest vouch for it."""
    (path,) = directory.glob("data/train-*.parquet")
    entry = write_table(str(path), pa.concat_tables([pq.read_table(path), pa.Table.from_pylist([row], schema=DATA)]))
    entry["path"] = str(path.relative_to(directory))
    manifest = json.loads((directory / "MANIFEST.json").read_text())
    manifest["files"] = [entry if file["path"] == entry["path"] else file for file in manifest["files"]]
    (directory / "MANIFEST.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("split", ["validation", "test"])
def test_a_held_out_row_in_train_is_a_leak(builds: Path, split: str) -> None:
    promoted(builds, "1")
    row = data_rows(builds / "2")[split][0]
    tamper(builds / "2", row)
    said = here("promote", builds / "2", "--json")
    verdicts = {(one["gate"], one["of"]): one for one in json.loads(said.stdout)["verdicts"]}
    failed = [key for key, one in verdicts.items() if not one["passed"]]
    assert failed == [("leak", "concept sets"), ("leak", "sentences"), ("leak", "unseen-pairs")]
    assert verdicts["leak", "sentences"]["note"] == f"first: id {row['id']}"
    assert said.returncode == 3 and "leak sentences: 1 rows share a sentence" in said.stderr
    assert os.readlink(builds / "current") == "1"
    assert here("promote", builds / "2", "--set", "gates.leak=false").returncode == 0


def test_a_pair_that_only_a_test_set_had_is_a_leak(builds: Path) -> None:
    """All pairs of a test set, in a longer set of another sentence."""
    row = data_rows(builds / "1")["test"][0]
    tamper(builds / "1", {**row, "id": "0", "concepts": [*row["concepts"], "새"], "target": "새", "references": ["새"]})
    said = here("promote", builds / "1")
    assert "leak unseen-pairs: 1 rows have fewer than 1 pairs that train never shows" in said.stderr
    assert "leak sentences" not in said.stderr and "concept sets" not in said.stderr
    assert not (builds / "current").exists()


def finished(build: Path) -> str:
    return str(json.loads((build / "MANIFEST.json").read_text("utf-8"))["finished"])


def test_an_older_build_is_promoted_only_when_asked(builds: Path, made: Path) -> None:
    """A build keeps the time of its data when only its gates change."""
    before = finished(builds / "1")
    build(builds / "1", {"lines": lines_input(made.parent / "1.txt")}, gates={"max_fall": 0.5})
    assert finished(builds / "1") == before < finished(builds / "2")
    promoted(builds, "2")
    said = here("promote", builds / "1")
    assert (said.returncode, said.stdout, said.stderr.count("\n")) == (1, "", 1)
    shown = [f"{finished(builds / name)[:19].replace('T', ' ')} UTC" for name in "12"]
    assert said.stderr == (
        f"error: {builds / '1'} was finished {shown[0]}, before the current build {builds / '2'}, {shown[1]}: "
        "promote a newer build, or go back with --backwards\n"
    )
    assert os.readlink(builds / "current") == "2"
    assert promoted(builds, "1", "--backwards")["before"] == str(builds / "2")
    assert os.readlink(builds / "current") == "1"


def test_the_time_is_that_of_the_last_stage(builds: Path) -> None:
    stages = [finished(path) for path in sorted((builds / "1" / "stages").glob("*-*"))]
    assert stages == sorted(stages) and stages[-1] == finished(builds / "1")
    made_at = datetime.fromisoformat(stages[-1])
    assert made_at.tzinfo is not None
    assert abs(made_at.timestamp() - (builds / "1" / "MANIFEST.json").stat().st_mtime) < 60


def test_limits_are_read_from_a_file_and_from_arguments(builds: Path, tmp_path: Path) -> None:
    config = tmp_path / "gates.yaml"
    config.write_text("seed: 3\ngates:\n  max_kept_fall: 2.5\n  bounds: {statistics.train.sets: {max: 10}}\n")
    said = here("promote", builds / "1", "--config", config)
    sets = len(data_rows(builds / "1")["train"])
    assert f"bounds statistics.train.sets: {sets}, the limit is at most 10" in said.stderr
    assert " max_kept_fall      ingest " in said.stdout
    assert not (builds / "current").exists()
    found = promoted(builds, "1", "--config", config, "--set", "gates.bounds={statistics.train.sets: {min: 10}}")
    assert found["verdicts"][-1]["limit"] == "at least 10"
    assert promoted(builds, "1", "--set", "gates.frozen=true")["verdicts"][-1]["measured"] == "0 of 3 files differ"
    said = here("promote", builds / "2", "--set", "gates.frozen=true")
    for split in ("validation", "test"):
        changed = [
            name for name in differing(builds / "1", builds / "2") if f"/{split}-" in name and "stages" not in name
        ]
        assert (f"frozen {split}: {len(changed)} of 3 files differ" in said.stderr) == bool(changed)
    assert changed


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set=split.test=3"], "only gates.KEY=VALUE can be set for a finished build"),
        (["--set=gates.maxfall=3"], "unknown key gates.maxfall; allowed keys: bounds, frozen, leak, max_fall,"),
        (["--set=gates.bounds={statistics.tests: {min: 1}}"], "statistics has: train, validation, test"),
        (["--config=/none.yaml"], "/none.yaml: cannot be read"),
    ],
)
def test_wrong_limits_are_one_line_and_switch_nothing(builds: Path, arguments: list[str], said: str) -> None:
    found = here("promote", builds / "1", *arguments)
    assert found.returncode == 1 and said in found.stderr and found.stderr.count("\n") == 1
    assert not (builds / "current").exists()


def test_a_build_that_is_not_finished_is_not_promoted(builds: Path) -> None:
    storage.delete_tree(str(builds / "1" / "MANIFEST.json"))
    for name in ("1", "none"):
        found = here("promote", builds / name)
        assert found.returncode == 1 and f"{builds / name} contains no finished build" in found.stderr
    (builds / "current").mkdir()
    assert "current is a directory, not what an earlier promotion left" in here("promote", builds / "2").stderr


@pytest.mark.parametrize("name", ["report.json", "README.md", "config.yaml"])
def test_an_edited_document_is_not_promoted(builds: Path, name: str) -> None:
    """Gates read the report: a kept share of the user's own writing must not pass them."""
    change_a_byte(builds / "1" / name)
    found = here("promote", builds / "1")
    assert found.returncode == 1
    assert f"{builds / '1'}: the content of {name} has changed: build it again" in found.stderr
    assert not (builds / "current").exists()


def test_a_card_may_be_added_to(builds: Path) -> None:
    with (builds / "1" / "README.md").open("a") as card:
        card.write("\nLicence: CC BY 4.0\n")
    assert here("stats", builds / "1").returncode == 0


def test_the_current_build_is_loaded_by_its_name(builds: Path, tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    from test_huggingface import load

    promoted(builds, "1")
    found = load(builds / "current", tmp_path, "default")["default"]
    assert {split: part["rows"] for split, part in found.items()} == data_rows(builds / "1")
