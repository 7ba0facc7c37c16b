"""What names the current build: a link, or an object in an object store."""

import os
from pathlib import Path

import pytest
from memory_store import MemoryFileSystem

from conceptloom import storage
from conceptloom.current import beside, build_at, current_build, is_current, resolved, switch
from conceptloom.errors import OutputError


@pytest.fixture(params=["local", "memory"])
def builds(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A folder of two builds, of either kind."""
    MemoryFileSystem.objects.clear()
    place = str(tmp_path / "builds") if request.param == "local" else "memory://bucket/builds"
    for name in ("one", "two"):
        storage.write_bytes(storage.join(place, name, "MANIFEST.json"), b"{}")
    return place


def test_nothing_then_the_one_then_the_other(builds: str) -> None:
    path, (one, two) = storage.join(builds, "current"), (storage.join(builds, name) for name in ("one", "two"))
    assert current_build(path) is None
    for build in (one, one, two):
        switch(path, build)
        assert current_build(path) == build
    kept = [info.path for info in storage.list_files(builds) if "MANIFEST" in info.path]
    assert kept == [storage.join(build, "MANIFEST.json") for build in (one, two)]


def test_the_usual_name_stands_beside_the_builds(builds: str) -> None:
    one, two = (storage.join(builds, name) for name in ("one", "two"))
    assert [beside(one), beside(two + "/")] == [storage.join(builds, "current")] * 2
    assert not is_current(one)
    switch(beside(one), one)
    assert [is_current(one), is_current(one + "/"), is_current(two)] == [True, True, False]
    assert resolved(one + "/") == one


def test_a_build_is_reached_by_its_path_and_by_the_name(builds: str) -> None:
    one, name = storage.join(builds, "one"), storage.join(builds, "current")
    assert [build_at(one), build_at(one + "/"), build_at(name)] == [one, one + "/", name]
    switch(name, one)
    assert [build_at(one), build_at(name), build_at(name + "/")] == [one] * 3
    storage.delete_tree(one)
    with pytest.raises(OutputError, match="which does not exist"):
        build_at(name)


def test_something_else_beside_a_build_does_not_make_it_current(builds: str) -> None:
    storage.write_bytes(storage.join(builds, "current", "x"), b"")
    assert not is_current(storage.join(builds, "one"))
    assert not is_current(storage.join(builds, "current"))


def test_the_link_moves_with_its_folder(tmp_path: Path) -> None:
    (tmp_path / "a" / "b" / "one").mkdir(parents=True)
    (tmp_path / "a" / "b" / "one" / "x").touch()
    switch(str(tmp_path / "a" / "current"), str(tmp_path / "a" / "b" / "one"))
    assert os.readlink(tmp_path / "a" / "current") == os.path.join("b", "one")
    (tmp_path / "a").rename(tmp_path / "moved")
    assert current_build(str(tmp_path / "moved" / "current")) == str(tmp_path / "moved" / "b" / "one")
    assert (tmp_path / "moved" / "current" / "x").exists()


def test_the_object_holds_one_line() -> None:
    MemoryFileSystem.objects.clear()
    switch("memory://bucket/builds/current", "memory://bucket/builds/one")
    assert MemoryFileSystem.objects == {"memory://bucket/builds/current": b"memory://bucket/builds/one\n"}


@pytest.mark.parametrize("moment", ["symlink", "replace"])
def test_a_switch_that_breaks_off_leaves_the_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    path = tmp_path / "current"
    for name in ("one", "two"):
        storage.write_bytes(str(tmp_path / name / "x"), b"")
    switch(str(path), str(tmp_path / "one"))

    def broken(*arguments: object, **options: object) -> None:
        assert current_build(str(path)) == str(tmp_path / "one")
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, moment, broken)
        with pytest.raises(OutputError, match="current: cannot be written"):
            switch(str(path), str(tmp_path / "two"))
    assert current_build(str(path)) == str(tmp_path / "one")
    assert sorted(os.listdir(tmp_path)) == ["current", "one", "two"]


def test_an_object_that_cannot_be_replaced_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    MemoryFileSystem.objects.clear()
    path = "memory://bucket/current"
    for name in ("one", "two"):
        storage.write_bytes(f"memory://bucket/{name}/x", b"")
    switch(path, "memory://bucket/one")

    def broken(*arguments: object, **options: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(MemoryFileSystem, "create", broken)
        with pytest.raises(OutputError, match="current: cannot be written"):
            switch(path, "memory://bucket/two")
    assert current_build(path) == "memory://bucket/one"
    assert sorted(MemoryFileSystem.objects) == [path, "memory://bucket/one/x", "memory://bucket/two/x"]


def test_something_else_in_the_place_of_the_name_is_an_error(builds: str) -> None:
    with pytest.raises(OutputError, match=r"one is (a directory|a folder of objects), not what .*--current"):
        current_build(storage.join(builds, "one"))
    with pytest.raises(OutputError, match=r"MANIFEST.json is (a file|an object that names no build), not what"):
        current_build(storage.join(builds, "one", "MANIFEST.json"))


@pytest.mark.parametrize("content", [b"", b"\xff", b"memory://a\nmemory://b\n", b"/tmp\n", b"../one"])
def test_an_object_that_names_no_build_is_an_error(content: bytes) -> None:
    MemoryFileSystem.objects.clear()
    storage.write_bytes("memory://bucket/current", content)
    with pytest.raises(OutputError, match="an object that names no build"):
        current_build("memory://bucket/current")


def test_a_name_of_a_build_that_is_gone_is_an_error(builds: str) -> None:
    path, build = storage.join(builds, "current"), storage.join(builds, "one")
    switch(path, build)
    storage.delete_tree(build)
    with pytest.raises(OutputError, match=r"current points at .*one, which does not exist: delete "):
        current_build(path)
