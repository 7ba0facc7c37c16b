"""Promotion of small builds written by hand, on a disk and in an object store."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from memory_store import MemoryFileSystem
from small_builds import make

import conceptloom.pipelines.builds.promote
from conceptloom import storage
from conceptloom.current import current_build, switch
from conceptloom.errors import ConfigError, GateError, InputError, OutputError
from conceptloom.gates import Case, Verdict, judge
from conceptloom.pipelines.builds.promote import promote


@pytest.fixture(params=["local", "memory"])
def builds(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A folder for builds, of either kind."""
    MemoryFileSystem.objects.clear()
    return str(tmp_path / "builds") if request.param == "local" else "memory://bucket/builds"


def current(builds: str) -> str | None:
    return current_build(storage.join(builds, "current"))


def test_builds_that_pass_become_current_one_after_the_other(builds: str) -> None:
    first = promote(make(builds, "1"))
    assert (first.before, first.promoted, current(builds)) == (None, True, storage.join(builds, "1"))
    assert {one.measured for one in first.verdicts if one.gate == "max_fall" and one.of == "total"} == {
        "the first build, 24"
    }
    second = promote(make(builds, "2", 18))
    assert (second.before, current(builds)) == (first.build, storage.join(builds, "2"))
    again = promote(storage.join(builds, "2") + "/")
    assert (again.before, again.promoted) == (second.build, True)


def test_a_build_that_fails_is_kept_and_current_stays(builds: str) -> None:
    good, bad = promote(make(builds, "1")).build, make(builds, "2", 17, malformed=2)
    before = [(info.path, info.size) for info in storage.list_files(builds)]
    promotion = promote(bad)
    with pytest.raises(GateError) as caught:
        promotion.check()
    assert str(caught.value) == (
        "gates failed: max_fall train: -15.00 % (20 to 17), the limit is -10 %; "
        "max_fall total: -12.50 % (24 to 21), the limit is -10 %; "
        "maximum_malformed a: 20.00 % (2 of 10), the limit is 10 %; "
        f"{bad} is kept, {storage.join(builds, 'current')} still points at {good}"
    )
    assert current(builds) == good
    assert [(info.path, info.size) for info in storage.list_files(builds)] == before
    assert promote(bad, gates={"max_fall": 0.15, "maximum_malformed": 0.2}).promoted
    assert current(builds) == bad


def test_a_build_may_be_forced(builds: str) -> None:
    promote(make(builds, "1"))
    forced = promote(make(builds, "2", 2), force=True)
    forced.check()
    assert forced.failed and current(builds) == forced.build


def test_what_is_current_and_fails_stays_current_but_is_told(builds: str) -> None:
    only = promote(make(builds, "1")).build
    again = promote(only, gates={"bounds": {"statistics.n": {"max": 3}}})
    with pytest.raises(GateError, match=r"bounds statistics\.n: 20, the limit is at most 3"):
        again.check()
    assert current(builds) == only


def test_gates_of_the_build_hold_unless_others_are_given(builds: str) -> None:
    build = make(builds, "1")
    path = storage.join(build, "MANIFEST.json")
    manifest: dict[str, Any] = json.loads(storage.read_bytes(path))
    manifest["settings"]["gates"] = {"leak": False, "bounds": {"statistics.n": {"min": 21}}}
    storage.write_bytes(path, json.dumps(manifest).encode())
    found = promote(build)
    assert [(one.gate, one.limit) for one in found.failed] == [("bounds", "at least 21")]
    assert not [one for one in found.verdicts if one.gate == "leak"]
    assert current(builds) is None
    del manifest["settings"]["gates"]
    storage.write_bytes(path, json.dumps(manifest).encode())
    assert promote(build).promoted


def test_changed_and_missing_files_are_errors(builds: str) -> None:
    build = make(builds, "1")
    path = storage.join(build, "data", "test-00000-of-00002.parquet")
    content = storage.read_bytes(path)
    storage.write_bytes(path, content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
    with pytest.raises(InputError, match=r"1: the content of data/test-00000.* has changed: build it again"):
        promote(build)
    storage.delete_tree(path)
    with pytest.raises(InputError, match=r"1: data/test-00000.* is missing"):
        promote(build)
    storage.delete_tree(storage.join(build, "MANIFEST.json"))
    with pytest.raises(InputError, match="1 contains no finished build"):
        promote(build)
    assert current(builds) is None


def test_a_damaged_current_build_is_told_with_two_cures(builds: str) -> None:
    promote(make(builds, "1"))
    path = storage.join(builds, "1", "data", "test-00000-of-00002.parquet")
    storage.delete_tree(path)
    second = make(builds, "2")
    with pytest.raises(InputError, match=r"current cannot be compared with: .*1: data/test.* is missing .*, or del"):
        promote(second)
    assert current(builds) == storage.join(builds, "1")
    storage.delete_tree(storage.join(builds, "current"))
    assert promote(second).promoted


@pytest.mark.parametrize("what", ["MANIFEST.json", "data/train-00000-of-00002.parquet"])
def test_a_build_that_begins_anew_meanwhile_is_not_promoted(
    builds: str, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """The gates read it while its files go, as a rebuild deletes them."""
    promote(make(builds, "1"))
    second = make(builds, "2")

    def judged(case: Case, limits: Mapping[str, Any]) -> list[Verdict]:
        verdicts = judge(case, limits)
        storage.delete_tree(storage.join(second, what))
        return verdicts

    monkeypatch.setattr(conceptloom.pipelines.builds.promote, "judge", judged)
    with pytest.raises(OutputError, match="2 was changed while its gates were checked"):
        promote(second, force=True)
    assert current(builds) == storage.join(builds, "1")


def test_the_name_of_current_may_end_in_a_slash(builds: str) -> None:
    name = storage.join(builds, "live")
    for build in (make(builds, "1"), make(builds, "2")):
        promote(build, current=f"{name}/")
        assert current_build(name) == build


def test_wrong_names_are_errors(builds: str, tmp_path: Path) -> None:
    build, other = make(builds, "1"), make(builds, "2", recipe="another")
    with pytest.raises(OutputError, match=r"2 is .*--current"):
        promote(build, current=other)
    with pytest.raises(ConfigError, match="must be on the same storage as the builds"):
        promote(build, current="gs://bucket/current" if builds.startswith("/") else str(tmp_path / "current"))
    with pytest.raises(ConfigError, match="unknown key gates.x; allowed keys: bounds, "):
        promote(build, gates={"x": 1})
    with pytest.raises(InputError, match="recipe 'another', which is not installed"):
        promote(other)
    promote(build, current=storage.join(builds, "elsewhere", "live"))
    assert current_build(storage.join(builds, "elsewhere", "live")) == build
    assert current(builds) is None


def test_builds_of_two_recipes_are_not_compared(builds: str) -> None:
    switch(storage.join(builds, "current"), make(builds, "1", recipe="commongen"))
    with pytest.raises(OutputError, match="a build of recipe commongen, but this is a build of korean-commongen"):
        promote(make(builds, "2"))


MONDAY, TUESDAY = "2026-11-16T03:10:41.250+00:00", "2026-11-17T03:10:41.250+00:00"


def test_an_older_build_is_promoted_only_when_asked(builds: str) -> None:
    newer = promote(make(builds, "tuesday", finished=TUESDAY)).build
    older = make(builds, "monday", finished=MONDAY)
    for force in (False, True):
        with pytest.raises(OutputError) as caught:
            promote(older, force=force)
        assert str(caught.value) == (
            f"{older} was finished 2026-11-16 03:10:41 UTC, before the current build {newer}, 2026-11-17 03:10:41 UTC: "
            "promote a newer build, or go back with --backwards"
        )
        assert current(builds) == newer
    assert promote(older, backwards=True).before == newer
    assert current(builds) == older
    assert promote(newer).promoted


def test_of_two_times_in_one_second_and_in_two_zones_the_earlier_is_older(builds: str) -> None:
    promote(make(builds, "1", finished="2026-11-17T04:10:41.251+01:00"))
    with pytest.raises(OutputError, match="--backwards"):
        promote(make(builds, "2", finished=TUESDAY))
    assert promote(make(builds, "3", finished="2026-11-17T03:10:41.251+00:00")).promoted


def test_a_build_that_records_no_time_has_that_of_its_manifest(tmp_path: Path) -> None:
    for name, modified in (("1", 200_000.0), ("2", 100_000.0)):
        os.utime(Path(make(str(tmp_path), name)) / "MANIFEST.json", (modified, modified))
    promote(str(tmp_path / "1"))
    with pytest.raises(OutputError, match=r"1970-01-02 03:46:40 UTC \(the time of its MANIFEST.json\), before"):
        promote(str(tmp_path / "2"))
    os.utime(tmp_path / "2" / "MANIFEST.json", (200_000.0, 200_000.0))
    assert promote(str(tmp_path / "2")).promoted
