"""`conceptloom diff` of real builds, against plain dictionaries of their files."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from builds import (
    SPLITS,
    build,
    data_rows,
    files_of,
    here,
    lines_input,
    plain_sentences,
    report,
    rows,
    sample_build,
    write_lines,
)

import conceptloom.pipelines.builds.diff

KINDS = ("added", "gone", "changed", "moved")
SMALL: dict[str, Any] = {"validation": 12, "test": 25}


def input_of(directory: Path, step: int) -> dict[str, Any]:
    """Every `step`-th plain caption, in one file: a caption's record differs between the steps."""
    return {"s": lines_input(write_lines(directory / f"{step}.txt", plain_sentences()[::step]))}


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("diff")
    build(directory / "old", input_of(directory, 2), split=SMALL)
    return directory / "old"


CHANGES: dict[str, dict[str, Any]] = {
    "a grown corpus": {"step": 1},
    "a grown corpus, frozen": {"step": 1, "frozen": True, "split": {"policy": "all-pairs-unseen"}},
    "another rule": {"ingest": {"rule": "noun-verb"}},
    "another filter": {
        "ingest": {"filters": {"options": {"length": {"maximum_characters": 25}}}},
        "select": {"top_k": 1},
    },
    "other sizes": {"split": {"validation": 3, "test": 30}},
}


@pytest.fixture(scope="module", params=CHANGES)
def change(request: pytest.FixtureRequest, old: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The name of a change, and the build that it made."""
    directory = tmp_path_factory.mktemp("changed")
    chosen = {"split": SMALL, **CHANGES[request.param]}
    inputs = input_of(directory, chosen.pop("step", 2))
    frozen = str(old) if chosen.pop("frozen", False) else None
    build(directory / "new", inputs, frozen=frozen, **chosen)
    return request.param, directory / "new"


def said_json(*arguments: object) -> Any:
    said = here("diff", *arguments, "--json")
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)


def expected_rows(old: Path, new: Path) -> list[dict[str, str]]:
    """All differences, from the files: one dictionary for each."""
    data = [{row["id"]: (split, row) for split, found in data_rows(d).items() for row in found} for d in (old, new)]
    left_out = [
        {row["id"]: row for row in rows(d, "rejected/*.parquet") if row["reason"] != "duplicate"} for d in (old, new)
    ]
    found = []
    for id_ in sorted(data[0].keys() | data[1].keys()):
        here_, there = (side.get(id_) for side in data)
        splits = {"old_split": here_[0] if here_ else "", "new_split": there[0] if there else ""}
        base = {"id": id_, **splits, "columns": "", "stage": "", "reason": "", "detail": ""}
        if here_ and there:
            columns = [name for name in here_[1] if here_[1][name] != there[1][name]]
            found += [{**base, "kind": "changed", "columns": ",".join(columns)}] if columns else []
            found += [{**base, "kind": "moved"}] if here_[0] != there[0] else []
            continue
        why = left_out[1 if here_ else 0].get(id_, {"reason": "not_in_input"})
        why = {name: why[name] for name in ("stage", "reason", "detail") if name in why}
        found.append({**base, "kind": "gone" if here_ else "added", **why})
    return found


def test_every_difference_is_listed(old: Path, change: tuple[str, Path], tmp_path: Path) -> None:
    name, new = change
    found = said_json(old, new, "--output", tmp_path / "listing.parquet", "--examples=2")
    expected = expected_rows(old, new)
    assert pq.read_table(tmp_path / "listing.parquet").to_pylist() == [
        {key: row[key] for key in ("id", "kind", "old_split", "new_split", "columns", "stage", "reason", "detail")}
        for row in expected
    ]
    assert found["kinds"] == {kind: sum(row["kind"] == kind for row in expected) for kind in KINDS}
    names = ("kind", "old_split", "new_split", "stage", "reason")
    groups = Counter(tuple(row[name] for name in names) for row in expected)
    assert {tuple(group[name] for name in names): group["rows"] for group in found["reasons"]} == groups
    for kind in KINDS:
        first = [row["id"] for row in expected if row["kind"] == kind][:2]
        assert [one["id"] for one in found["examples"][kind]] == first
    assert not found["same"]
    reasons = {(group["kind"], group["reason"]) for group in found["reasons"]}
    assert {
        "a grown corpus": {("added", "not_in_input"), ("moved", "")},
        "a grown corpus, frozen": {("added", "not_in_input"), ("gone", "not_selected")},
        "another rule": {("changed", "")},
        "another filter": {("gone", "length"), ("gone", "not_selected")},
        "other sizes": {("moved", "")},
    }[name] <= reasons


def test_frozen_sets_do_not_move(old: Path, change: tuple[str, Path]) -> None:
    name, new = change
    found = said_json(old, new)
    if name == "a grown corpus, frozen":
        assert found["same_files"] == ["validation", "test"] and found["kinds"]["moved"] == 0
    else:
        assert found["same_files"] == []


def test_statistics_ledgers_and_settings_stand_side_by_side(old: Path, change: tuple[str, Path]) -> None:
    _, new = change
    found = said_json(old, new)
    for name in ("statistics", "stages"):
        assert found[name] == {"old": report(old)[name], "new": report(new)[name]}
    assert found["new"]["rows"] == {split: len(data_rows(new)[split]) for split in SPLITS}
    manifests = [json.loads((path / "MANIFEST.json").read_text(encoding="utf-8"))["settings"] for path in (old, new)]
    for one in found["settings"]:
        keys = one["key"].split(".")
        if keys[0] != "report":
            assert [leaf(manifest, keys) for manifest in manifests] == [one["old"], one["new"]]
    assert "inputs.s.patterns" in {one["key"] for one in found["settings"]}


def leaf(values: Any, keys: list[str]) -> Any:
    for key in keys:
        values = values.get(key) if values else None
    return values


def test_the_text_says_the_same(old: Path, change: tuple[str, Path]) -> None:
    name, new = change
    said = here("diff", old, new, "--examples=1")
    assert said.returncode == 0
    found = said_json(old, new, "--examples=1")
    lines = said.stdout.splitlines()
    for kind, count in found["kinds"].items():
        assert any(line.startswith(f"{kind:<10}{count:,}") for line in lines) == bool(count)
        assert all(one["target"] in said.stdout for one in found["examples"][kind])
    for group in found["reasons"]:
        assert any(line.startswith(f"  {group['rows']:>9,}  ") and group["reason"] in line for line in lines) or (
            group["reason"] == "not_in_input"
        )
    sets = [report(path)["statistics"]["train"]["sets"] for path in (old, new)]
    assert ("new in the input" in said.stdout) == ("grown" in name)
    assert any(line.split()[:2] == ["sets", f"{sets[0]:,}"] for line in lines)
    assert all(one["key"] in said.stdout for one in found["settings"])


@pytest.mark.parametrize("rows_per_file", [200, 100_000])
def test_the_same_data_in_two_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows_per_file: int) -> None:
    """Files that are cut in another way, and rows in another order (source by source), are the same rows."""
    old = sample_build()
    monkeypatch.setattr("conceptloom.pipelines.build.inputs.BUCKET_BYTES", 60_000)
    build(tmp_path / "cut", publish={"rows_per_file": rows_per_file, "train_order": "curriculum"})
    assert (len(list((tmp_path / "cut" / "data").glob("train-*"))) > 2) == (rows_per_file == 200)
    monkeypatch.setattr(conceptloom.pipelines.builds.diff, "ROWS_AT_ONCE", 50)
    found = said_json(old, tmp_path / "cut", "--exit-code", "--output", tmp_path / "none.parquet")
    assert (found["same"], found["same_files"]) == (True, ["validation", "test"])
    assert pq.read_table(tmp_path / "none.parquet").num_rows == 0
    assert {one["key"] for one in found["settings"]} >= {"publish.train_order"}
    assert ", all the same" in here("diff", old, tmp_path / "cut").stdout


def test_ranges_make_no_difference(old: Path, change: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    _, new = change
    whole = said_json(old, new)
    monkeypatch.setattr(conceptloom.pipelines.builds.diff, "ROWS_AT_ONCE", 37)
    assert said_json(old, new) == whole


def test_exit_code(old: Path, change: tuple[str, Path]) -> None:
    _, new = change
    assert here("diff", old, new).returncode == 0
    assert here("diff", old, new, "--exit-code").returncode == 1
    assert here("diff", old, old, "--exit-code").returncode == 0
    assert here("diff", old).returncode == 2


def test_what_cannot_be_compared_is_one_line(old: Path, tmp_path: Path) -> None:
    shutil.copytree(sample_build(), tmp_path / "torn")
    (tmp_path / "torn" / "rejected" / "ingest-00000.parquet").unlink()
    shutil.copytree(sample_build(), tmp_path / "silent")
    (tmp_path / "silent" / "report.json").write_text("[", encoding="utf-8")
    before = files_of(tmp_path)
    cases = (
        (tmp_path / "nowhere", "contains no finished build"),
        (tmp_path / "torn", "ingest-00000.parquet is missing or has the wrong size"),
        (tmp_path / "silent", "report.json is not a valid report"),
    )
    for path, words in cases:
        for pair in ((old, path), (path, old)):
            said = here("diff", *pair, "--output", tmp_path / "listing.parquet")
            assert said.returncode == 1 and said.stdout == ""
            assert said.stderr.count("\n") == 1 and words in said.stderr
    assert files_of(tmp_path).keys() == before.keys()


def test_a_listing_that_cannot_be_written_is_one_line(old: Path, change: tuple[str, Path], tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    for path in (tmp_path / "taken", Path("/proc/listing.parquet")):
        said = here("diff", old, change[1], "--output", path)
        assert (said.returncode, said.stdout) == (1, "")
        assert said.stderr.count("\n") == 1 and f"{path}: cannot be written" in said.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
