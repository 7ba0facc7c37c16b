"""`conceptloom builds` on real builds and in a bucket: what is shown, and what is left."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from builds import RECIPE, build, data_rows, finished_cli, here, lines_input, plain_sentences, write_lines
from emulator import BUCKET, Store
from small_builds import make

from conceptloom import storage


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three builds, the second frozen on the first; a fourth, frozen too, has only its first two stages."""
    place = tmp_path_factory.mktemp("kept")
    texts = plain_sentences()
    for at, name in enumerate(("one", "two", "three")):
        path = write_lines(place / f"{name}.txt", texts[: 200 + at])
        frozen = {"frozen": str(place / "builds" / "one")} if name == "two" else {}
        build(place / "builds" / name, {"lines": lines_input(path)}, **frozen)
    for stage in ("ingest", "select"):
        build(place / "builds" / "four", {"lines": lines_input(path)}, only=stage, frozen=str(place / "builds" / "one"))
    return place / "builds"


def told(*arguments: object) -> dict[str, Any]:
    said = here(*arguments, "--json")
    assert said.returncode == 0, said.stderr
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def test_a_folder_is_listed_and_pruned(builds: Path) -> None:
    assert here("promote", builds / "two").returncode == 0
    found = {one["name"]: one for one in told("builds", "list", builds)["builds"]}
    assert list(found) == ["four", "three", "two", "one"]
    assert [name for name, one in found.items() if one["current"]] == ["two"]
    for name in ("one", "two", "three"):
        assert found[name]["rows"] == {split: len(rows) for split, rows in data_rows(builds / name).items()}
        assert (found[name]["recipe"], found[name]["complete"]) == (RECIPE, True)
    assert [found[name]["frozen"] for name in ("two", "four")] == [str(builds / "one")] * 2
    assert not (builds / "two" / "stages" / "FROZEN").exists()
    assert (found["four"]["finished"], found["four"]["problem"]) == (None, "unfinished, 2 of 4 stages done")
    table = [line.split() for line in here("builds", "list", builds).stdout.splitlines()]
    assert table[0] == ["build", "recipe", "finished", "rows", "size", "named", "complete"]
    assert table[3][:2] == ["two", RECIPE] and table[3][-2:] == ["current", "yes"]

    made = write_lines(builds.parent / "five.txt", plain_sentences()[:220])
    build(builds / "five", {"lines": lines_input(made)})
    size = sum(path.stat().st_size for path in (builds / "three").rglob("*") if path.is_file())
    plan = told("builds", "prune", builds, "--keep", 1)
    assert (plan["deleted"], plan["bytes"]) == (False, size)
    assert {one["name"]: one["kept"] for one in plan["builds"]} == {
        "five": "among the 1 newest",
        "four": "unfinished, 2 of 4 stages done",
        "three": None,
        "two": "current",
        "one": "two is frozen on it",
    }
    dry = here("builds", "prune", builds, "--keep", 1)
    assert dry.stdout.splitlines()[-1].startswith("would be deleted: 1 of 5 builds, ")
    assert dry.stdout.endswith("(--yes deletes)\n")
    assert (builds / "three" / "MANIFEST.json").exists()
    done = here("builds", "prune", builds, "--keep", 1, "--yes")
    assert done.stdout.splitlines()[-1].startswith("deleted: 1 of 5 builds, ")
    assert sorted(os.listdir(builds)) == ["current", "five", "four", "one", "two"]
    assert here("promote", builds / "five").returncode == 0


def test_wrong_usage_and_wrong_places_are_told(builds: Path, tmp_path: Path) -> None:
    assert here("builds", "prune", builds).returncode == 2
    assert here("builds", "prune", builds, "--keep", 0).returncode == 2
    for place in (tmp_path, builds / "one"):
        said = here("builds", "list", place)
        assert (said.returncode, said.stderr) == (
            1,
            f"error: {place} is no folder with builds in it: check the path\n",
        )


def test_a_link_to_nothing_is_told_by_the_list(tmp_path: Path) -> None:
    make(str(tmp_path), "one")
    os.symlink("nowhere", tmp_path / "current")
    said = here("builds", "list", tmp_path)
    assert (said.returncode, said.stdout.count("\n")) == (0, 2)
    assert said.stderr.startswith(f"warning: {tmp_path / 'current'} points at ")


def test_a_bucket_is_listed_and_pruned(store: Store) -> None:
    place = f"gs://{BUCKET}/weekly"
    for day in (1, 2, 3):
        make(place, f"{day}", finished=f"2026-11-0{day}T00:00:00.000+00:00")
    storage.write_bytes(f"{place}/README", b"mine")
    assert here("promote", f"{place}/1", "--", "--no_auth").returncode == 0
    store.forget()
    found = finished_cli("builds", "list", place, "--json", "--", "--no_auth", env=store.public())
    listed = json.loads(found.stdout)["builds"]
    assert [(one["name"], one["current"], one["complete"]) for one in listed] == [
        ("3", False, True),
        ("2", False, True),
        ("1", True, True),
    ]
    assert store.uploads == 0 and len(store.requests) < 40
    plan = told("builds", "prune", place, "--keep", 1)
    assert [one["kept"] for one in plan["builds"]] == ["among the 1 newest", None, "current"]
    assert plan["bytes"] == sum(info.size for info in storage.list_files(f"{place}/2"))
    finished_cli("builds", "prune", place, "--keep=1", "--yes", "--", "--no_auth", env=store.public())
    left = {info.path.removeprefix(f"{place}/").split("/")[0] for info in storage.list_files(place)}
    assert left == {"1", "3", "README", "current"}
