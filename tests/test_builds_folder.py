"""Builds in a folder: what is listed, what is pruned and what never is; on a disk and in an object store."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from memory_store import MemoryFileSystem
from small_builds import make

import conceptloom.pipelines.builds.prune
from conceptloom import storage
from conceptloom.current import switch
from conceptloom.errors import InputError, OutputError
from conceptloom.manifest import Manifest
from conceptloom.pipelines.build.frozen import record_frozen
from conceptloom.pipelines.builds.finished import FROZEN, MARKER
from conceptloom.pipelines.builds.folder import Entry, builds_in
from conceptloom.pipelines.builds.prune import plan, prune
from conceptloom.pipelines.korean_commongen.settings import KoreanCommonGenSettings


@pytest.fixture(params=["local", "memory"])
def builds(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A folder for builds, of either kind."""
    MemoryFileSystem.objects.clear()
    return str(tmp_path / "builds") if request.param == "local" else "memory://bucket/builds"


def made(builds: str, *names: str, frozen: str | None = None, recipe: str = "korean-commongen") -> list[str]:
    """Finished builds; each was finished on the day of November that is its name."""
    return [make(builds, name, finished=f"2026-11-{name[:2]}T01:02:03.456+00:00", frozen=frozen, recipe=recipe)
            for name in names]  # fmt: skip


def unfinished(builds: str, name: str, frozen: str | None = None) -> str:
    """A build with one finished stage."""
    directory = storage.join(builds, name)
    storage.write_bytes(storage.join(directory, MARKER), b"korean-commongen\n")
    Manifest("ingest", "f", {}, ()).write(storage.join(directory, "stages", "1-ingest"))
    settings = KoreanCommonGenSettings.model_validate({"inputs": {"a": {"patterns": ["/a"]}}, "frozen": frozen})
    record_frozen(settings, directory)
    return directory


def there(builds: str) -> list[str]:
    """The folders that hold a file."""
    return [name for name, files in storage.list_folders(builds).items() if name and files]


def reasons(builds: str, keep: int, **options: object) -> dict[str, str]:
    """The fate of each build by its name."""
    return {fate.build.name: fate.reason for fate in prune(builds, keep, **options)}  # type: ignore[arg-type]


def test_builds_are_listed_with_the_newest_first(builds: str) -> None:
    made(builds, "14", "21", "07")
    switch(storage.join(builds, "current"), storage.join(builds, "14"))
    switch(storage.join(builds, "live"), storage.join(builds, "14"))
    storage.write_bytes(storage.join(builds, "notes", "MANIFEST.json"), b"mine")
    storage.write_bytes(storage.join(builds, "README"), b"mine")
    found = builds_in(builds + "/")
    assert [(one.name, str(one.finish), one.names, one.is_current, one.problem) for one in found] == [
        ("21", "2026-11-21 01:02:03 UTC", (), False, ""),
        ("14", "2026-11-14 01:02:03 UTC", ("current", "live"), True, ""),
        ("07", "2026-11-07 01:02:03 UTC", (), False, ""),
    ]
    assert {tuple(one.rows.items()) for one in found} == {(("train", 20), ("validation", 2), ("test", 2))}
    sizes = [sum(info.size for info in storage.list_files(one.directory)) for one in found]
    assert [one.bytes for one in found] == sizes


def test_what_is_not_complete_is_listed_with_the_reason(builds: str) -> None:
    made(builds, "01", "02", "03")
    unfinished(builds, "04", frozen=storage.join(builds, "01"))
    made(builds, "05", recipe="another")
    storage.delete_tree(storage.join(builds, "01", "report.json"))
    storage.write_bytes(storage.join(builds, "02", "data", "test-00000-of-00002.parquet"), b"")
    storage.write_bytes(storage.join(builds, "03", "MANIFEST.json"), b"{")
    found = {one.name: one for one in builds_in(builds)}
    assert {name: one.problem for name, one in found.items()} == {
        "01": "report.json is missing or has the wrong size",
        "02": "data/test-00000-of-00002.parquet is missing or has the wrong size",
        "03": "MANIFEST.json cannot be read",
        "04": "unfinished, 1 of 4 stages done",
        "05": "its recipe is not installed",
    }
    assert (found["04"].recipe, found["04"].frozen) == ("korean-commongen", storage.join(builds, "01"))
    assert set(reasons(builds, 1, delete=True).values()) == {one.problem for one in found.values()}
    assert there(builds) == sorted(found)


def test_a_folder_without_builds_is_an_error(builds: str) -> None:
    (build,) = made(builds, "01")
    for place in (build, storage.join(builds, "none")):
        with pytest.raises(InputError, match="is no folder with builds in it: check the path"):
            builds_in(place)


def test_nothing_goes_before_it_was_said(builds: str) -> None:
    made(builds, "01", "02", "03")
    before = storage.list_files(builds)
    assert reasons(builds, 1) == {"03": "among the 1 newest", "02": "", "01": ""}
    assert storage.list_files(builds) == before
    assert reasons(builds, 1, delete=True) == {"03": "among the 1 newest", "02": "", "01": ""}
    assert there(builds) == ["03"]
    assert reasons(builds, 1, delete=True) == {"03": "among the 1 newest"}


def test_the_current_build_and_what_it_is_frozen_on_stay(builds: str) -> None:
    first, _ = made(builds, "01", "02")
    (second,) = made(builds, "03", frozen=first)
    (third,) = made(builds, "04", frozen=second)
    made(builds, "05", "06")
    switch(storage.join(builds, "current"), third)
    assert reasons(builds, 1, delete=True) == {
        "06": "among the 1 newest",
        "05": "",
        "04": "current",
        "03": "04 is frozen on it",
        "02": "",
        "01": "03 is frozen on it",
    }
    assert there(builds) == ["01", "03", "04", "06"]


def test_what_an_unfinished_build_is_frozen_on_stays(builds: str) -> None:
    first, _ = made(builds, "01", "02")
    unfinished(builds, "03", frozen=first)
    assert reasons(builds, 1) == {
        "03": "unfinished, 1 of 4 stages done",
        "02": "among the 1 newest",
        "01": "03 is frozen on it",
    }
    assert storage.read_bytes(storage.join(builds, "03", FROZEN)) == f"{first}\n".encode()


def test_names_elsewhere_are_heeded_when_they_are_given(builds: str) -> None:
    first, _ = made(builds, "01", "02")
    name = storage.join(builds + "-live", "english")
    switch(name, first)
    assert reasons(builds, 1)["01"] == ""
    assert reasons(builds, 1, also=[name + "/"])["01"] == f"{name}/"
    with pytest.raises(OutputError, match="englishx names no build, nothing is there: check --current"):
        prune(builds, 1, also=[name + "x"], delete=True)


def test_a_current_that_points_at_nothing_stops_it(builds: str) -> None:
    made(builds, "01", "02")
    switch(storage.join(builds, "current"), storage.join(builds, "00"))
    with pytest.raises(OutputError, match="which does not exist"):
        prune(builds, 1, delete=True)
    assert [one.name for one in builds_in(builds)] == ["02", "01"]
    assert there(builds) == ["01", "02"]


def test_of_each_recipe_so_many_are_kept(builds: str) -> None:
    made(builds, "01", "02", recipe="commongen")
    made(builds, "03", "04")
    assert [name for name, reason in reasons(builds, 1).items() if not reason] == ["03", "01"]


def test_files_that_are_not_the_builds_stay(builds: str) -> None:
    made(builds, "01", "02")
    mine = [storage.join(builds, "01", "notes.txt"), storage.join(builds, "01", "data-of-mine", "x")]
    for path in mine:
        storage.write_bytes(path, b"mine")
    size = sum(info.size for info in storage.list_files(storage.join(builds, "01"))) - 8
    (fate,) = [fate for fate in prune(builds, 1, delete=True) if not fate.reason]
    assert fate.bytes == size
    assert [info.path for info in storage.list_files(storage.join(builds, "01"))] == sorted(mine)
    assert [one.name for one in builds_in(builds)] == ["02"]


@pytest.mark.parametrize("what", ["promoted", "built"])
def test_what_changes_meanwhile_stays(builds: str, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    _, second, _ = made(builds, "01", "02", "03")

    def planned(entries: list[Entry], keep: int) -> object:
        found = plan(entries, keep)
        if what == "promoted":
            switch(storage.join(builds, "current"), second)
        else:
            storage.delete_tree(storage.join(second, "MANIFEST.json"))
        return found

    monkeypatch.setattr(conceptloom.pipelines.builds.prune, "plan", planned)
    with pytest.raises(OutputError, match="02 was built or promoted meanwhile: it and the older builds are kept"):
        prune(builds, 1, delete=True)
    assert there(builds) == ["01", "02", "03"]


HOLD = """
import sys, time
from conceptloom import storage
with storage.claim(sys.argv[1], b"korean-commongen\\n") as held:
    print(held, flush=True)
    time.sleep(60)
"""


@pytest.mark.slow
def test_a_build_that_is_being_written_stays(tmp_path: Path) -> None:
    locked, *_ = made(str(tmp_path), "01", "02", "03")
    going = unfinished(str(tmp_path), "04")
    marker = [storage.join(path, MARKER) for path in (locked, going)]
    holders = [
        subprocess.Popen([sys.executable, "-c", HOLD, path], stdout=subprocess.PIPE, cwd=tempfile.gettempdir())
        for path in marker
    ]
    try:
        for holder in holders:
            assert holder.stdout is not None and holder.stdout.readline() == b"True\n"
        assert reasons(str(tmp_path), 1, delete=True) == {
            "04": "being built, 1 of 4 stages done",
            "03": "among the 1 newest",
            "02": "",
            "01": "being built",
        }
    finally:
        for holder in holders:
            holder.kill()
            holder.communicate()
    assert there(str(tmp_path)) == ["01", "03", "04"]


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A link may point at a build elsewhere, or at nothing; a folder that was moved is found by the names in it."""
    place, elsewhere = str(tmp_path / "builds"), str(tmp_path / "elsewhere")
    first, _ = made(place, "01", "02")
    made(place, "03", frozen=first)
    (outside,) = made(elsewhere, "04")
    os.symlink(outside, tmp_path / "builds" / "04")
    os.symlink("nowhere", tmp_path / "builds" / "broken")
    make(place, "00", finished="2026-10-31T00:00:00.000+00:00")
    os.symlink("00/data", tmp_path / "builds" / "data")
    os.rename(place, tmp_path / "moved")
    assert reasons(str(tmp_path / "moved"), 1, delete=True) == {
        "03": "among the 1 newest",
        "02": "",
        "01": "03 is frozen on it",
        "00": "data",
    }
    assert sorted(os.listdir(tmp_path / "moved")) == ["00", "01", "03", "04", "broken", "data"]
    assert json.loads(storage.read_bytes(f"{outside}/MANIFEST.json"))["name"] == "korean-commongen"
