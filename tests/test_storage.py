import errno
import gc
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from apache_beam.io.filesystems import FileSystems
from emulator import Store
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memory_store import MemoryFileSystem

from conceptloom import storage
from conceptloom.errors import InputError, OutputError


def names(directory: Path) -> list[str]:
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file())


@pytest.fixture(params=["local", "memory", "directories", "gs"])
def place(request: pytest.FixtureRequest, tmp_path: Path):
    """A directory of each kind."""
    MemoryFileSystem.objects.clear()
    if request.param == "local":
        return str(tmp_path)
    if request.param == "gs":
        request.getfixturevalue("store")
        return f"gs://loom/{tmp_path.name}"
    return f"{request.param}://bucket/dir"


def listed(place: str) -> list[str]:
    return [info.path.removeprefix(place).lstrip("/") for info in storage.list_files(place)]


def test_files_are_written_listed_read_copied_and_deleted(place: str) -> None:
    path = storage.join(place, "a", "b.bin")
    storage.write_bytes(path, b"one")
    storage.write_bytes(path, b"three")
    storage.copy(path, storage.join(place, "c.gz"))
    assert listed(place) == ["a/b.bin", "c.gz"]
    assert [info.size for info in storage.list_files(place)] == [5, 5]
    assert storage.read_bytes(storage.join(place, "c.gz")) == b"three"
    assert storage.exists(path) and not storage.exists(path + "x")
    with storage.open_read(path, 2) as stream:
        assert (stream.read(2), stream.seek(0), stream.read(1)) == (b"re", 0, b"t")
    storage.delete_tree(storage.join(place, "a"))
    storage.delete_tree(storage.join(place, "a"))
    storage.delete_tree(storage.join(place, "c.gz"))
    assert listed(place) == []


def test_a_pattern_matches_sorted_files(place: str) -> None:
    for name in ("b.txt", "a.txt", "c.json"):
        storage.write_bytes(storage.join(place, name), b"x")
    found = storage.match(storage.join(place, "*.txt"))
    assert [info.path for info in found] == [storage.join(place, name) for name in ("a.txt", "b.txt")]
    assert all(info.modified > 0 for info in found)
    with pytest.raises(InputError, match=r"\*\.csv: no such file"):
        storage.match(storage.join(place, "*.csv"))


def fail_in_writer(path: str, error: Exception, part: bytes = b"part") -> None:
    with storage.atomic_writer(path) as stream:
        stream.write(part)
        raise error


def fail_in_path(path: str, error: Exception) -> None:
    with storage.atomic_path(path) as temporary:
        Path(temporary).write_bytes(b"part")
        raise error


def write_to_full_disk(path: str) -> None:
    with storage.atomic_path(path) as temporary:
        os.symlink("/dev/full", temporary)
        Path(temporary).write_bytes(b"x" * 100_000)


def test_what_fails_leaves_nothing_behind(place: str) -> None:
    path = storage.join(place, "a.bin")
    storage.write_bytes(path, b"old")
    with pytest.raises(ZeroDivisionError):
        fail_in_writer(path, ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        fail_in_path(path, ZeroDivisionError())
    assert (listed(place), storage.read_bytes(path)) == (["a.bin"], b"old")
    assert list(MemoryFileSystem.objects) in ([], [path])


def test_what_fails_half_way_sends_nothing(store: Store) -> None:
    path = "gs://loom/half"
    with pytest.raises(ZeroDivisionError):
        fail_in_writer(path, ZeroDivisionError(), b"x" * (40 << 20))
    gc.collect()
    assert store.requests == [] and not storage.exists(path)


def test_a_refused_upload_leaves_what_was_there(store: Store) -> None:
    storage.write_bytes("gs://loom/kept", b"old")
    store.forget()
    store.fault = lambda number: 403
    with pytest.raises(OutputError, match=r"gs://loom/kept: cannot be written: not allowed \(HTTP 403\); log in"):
        storage.write_bytes("gs://loom/kept", b"new")
    gc.collect()
    assert storage.read_bytes("gs://loom/kept") == b"old"


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_all_kinds_answer_alike(tmp_path_factory: pytest.TempPathFactory, store: Store, data: st.DataObject) -> None:
    local = tmp_path_factory.mktemp("alike")
    places = [str(local), f"memory://bucket/{local.name}", f"gs://loom/{local.name}"]
    names = data.draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True))
    gone, asked = data.draw(st.sampled_from(NAMES)), data.draw(st.sampled_from([*NAMES, "*", "*.txt", "d/*", "a?.txt"]))
    assert len({repr(_answers(place, names, gone, asked)) for place in places}) == 1


NAMES = ("a b.txt", "가나.txt", "x#y.txt", "x*y.txt", "xzy.txt", "q?.txt", "qa.txt", "x[1].txt", "x1.txt", "d/e.txt")


def _answers(place: str, names: list[str], gone: str, asked: str) -> list[object]:
    for name in names:
        storage.write_bytes(storage.join(place, name), name.encode())
    storage.delete_tree(storage.join(place, gone))
    try:
        matched = [info.path.removeprefix(place) for info in storage.match(storage.join(place, asked))]
    except InputError as error:
        matched = [str(error).replace(place, "")]
    path = storage.join(place, asked)
    content = storage.read_existing(path) if asked not in ("*", "d/*") else None
    return [listed(place), matched, content, storage.exists(path)]


def test_no_directory_that_a_console_made_is_a_file() -> None:
    MemoryFileSystem.objects.clear()
    for name in ("shown/", "shown/a.txt"):
        storage.write_bytes(f"memory://bucket/{name}", b"")
    assert listed("memory://bucket/shown") == ["a.txt"]
    assert [info.path for info in storage.match("memory://bucket/shown/*")] == ["memory://bucket/shown/a.txt"]
    storage.delete_tree("memory://bucket/shown")
    assert MemoryFileSystem.objects == {}


def test_a_whole_bucket_is_a_directory_too(store: Store) -> None:
    storage.write_bytes("gs://loom/whole.txt", b"")
    assert "whole.txt" in listed("gs://loom")
    with pytest.raises(InputError, match="gs://loom: .*check the path"):
        storage.read_bytes("gs://loom")


def test_what_killed_writers_left_is_deleted_where_names_are_temporary() -> None:
    MemoryFileSystem.objects.clear()
    left = f"directories://bucket/dir/.writing-1-{'0' * 32}"
    MemoryFileSystem.objects.update({left: b"", "directories://bucket/dir/kept": b""})
    storage.delete_unfinished("directories://bucket/dir")
    assert list(MemoryFileSystem.objects) == ["directories://bucket/dir/kept"]


HOLD = """
import sys, time
from conceptloom import storage
with storage.claim(sys.argv[1], b"mine") as held:
    print(held, flush=True)
    time.sleep(60)
"""


def test_a_claim_is_one_processes_and_ends_with_it(tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "marker")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdout=subprocess.PIPE, text=True, cwd=tempfile.gettempdir()
    )
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "True\n"
        with storage.claim(path, b"other") as held:
            assert not held
        assert storage.read_bytes(path) == b"mine"
        assert storage.is_claimed(path)
    finally:
        holder.kill()
        holder.communicate()
    for content in (b"other", b"x"):
        with storage.claim(path, content) as held:
            assert held
        assert storage.read_bytes(path) == content
    assert names(tmp_path) == ["new/marker"]
    assert not storage.is_claimed(path) and not storage.is_claimed(path + "x")


def test_whoever_asks_for_a_lock_keeps_nobody_from_it(tmp_path: Path) -> None:
    path = str(tmp_path / "marker")
    with storage.claim(path, b"mine"):
        pass
    with ThreadPoolExecutor(1) as asker:
        asked = asker.submit(lambda: [(storage.is_claimed(path), time.sleep(0.0005)) for _ in range(500)])
        while not asked.done():
            with storage.claim(path, b"mine") as held:
                assert held


def test_files_are_listed_by_folder(place: str) -> None:
    assert list(filter(None, storage.list_folders(storage.join(place, "none")))) == []
    for name in ("a/b/c", "a/d", "top", "e/f"):
        storage.write_bytes(storage.join(place, *name.split("/")), b"123")
    found = storage.list_folders(place)
    expected = {"": ["top"], "a": ["a/b/c", "a/d"], "e": ["e/f"]}
    assert {name: [info.path.removeprefix(place + "/") for info in infos] for name, infos in found.items()} == expected
    assert {info.size for infos in found.values() for info in infos} == {3}


def test_links_are_listed_and_not_followed(tmp_path: Path) -> None:
    storage.write_bytes(str(tmp_path / "a" / "x"), b"")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "broken").symlink_to("nowhere")
    (tmp_path / "a" / "broken").symlink_to("nowhere")
    found = storage.list_folders(str(tmp_path))
    assert {name: [Path(info.path).name for info in infos] for name, infos in found.items()} == {
        "": ["broken", "link"],
        "a": ["x"],
    }


def test_a_writer_that_wants_a_name_gets_one(place: str) -> None:
    path = storage.join(place, "new", "a.bin")
    with storage.atomic_path(path) as temporary:
        assert not storage.exists(path)
        Path(temporary).write_bytes(b"content")
    assert (listed(place), storage.read_bytes(path)) == (["new/a.bin"], b"content")


@pytest.mark.parametrize("call", [storage.open_read, storage.read_bytes])
def test_a_missing_file_is_an_input_error(place: str, call) -> None:
    with pytest.raises(InputError, match="gone: cannot be read"):
        call(storage.join(place, "gone"))


def test_below_a_file_nothing_exists(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    assert storage.read_existing(str(tmp_path / "a" / "b")) is None


def test_a_file_that_is_being_written_is_not_listed(tmp_path: Path) -> None:
    with storage.atomic_writer(str(tmp_path / "a")) as stream:
        stream.write(b"x")
        assert len(names(tmp_path)) == 1
        assert storage.list_files(str(tmp_path)) == []
    assert names(tmp_path) == ["a"]


def test_remote_names_with_glob_characters_are_themselves() -> None:
    MemoryFileSystem.objects.clear()
    for name in ("a*.txt", "ab.txt", "d*/x", "de/x"):
        storage.write_bytes(f"memory://bucket/{name}", b"x")
    assert [info.path for info in storage.match("memory://bucket/a*.txt")] == ["memory://bucket/a*.txt"]
    storage.delete_tree("memory://bucket/d*")
    assert listed("memory://bucket/d*") == []
    assert listed("memory://bucket") == ["a*.txt", "ab.txt", "de/x"]


def test_a_path_with_glob_characters_is_itself(tmp_path: Path) -> None:
    for name in ("a[1].txt", "a1.txt", "b*.txt", "bc.txt"):
        (tmp_path / name).write_bytes(b"")
    assert [info.path for info in storage.match(str(tmp_path / "a[1].txt"))] == [str(tmp_path / "a[1].txt")]
    assert len(storage.match(str(tmp_path / "b*.txt"))) == 1
    assert len(storage.match(str(tmp_path / "?[1c].txt"))) == 2


def test_a_directory_is_no_input_but_the_cure_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is a directory; name its files: .*\*"):
        storage.match(str(tmp_path))


def test_a_name_may_be_as_long_as_names_can_be(tmp_path: Path) -> None:
    storage.write_bytes(str(tmp_path / ("n" * 255)), b"x")
    assert names(tmp_path) == ["n" * 255]


def test_a_path_without_directory_is_in_the_current_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    storage.write_bytes("a", b"x")
    assert names(tmp_path) == ["a"]


def test_files_get_the_usual_rights(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    storage.write_bytes(str(tmp_path / "a"), b"")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize(
    ("code", "cure"), [(errno.ENOSPC, "free some space"), (errno.EACCES, "may write to"), (errno.EIO, "check the path")]
)
def test_a_failed_write_is_an_output_error_with_path_text_and_cure(tmp_path: Path, code: int, cure: str) -> None:
    with pytest.raises(OutputError) as caught:
        fail_in_writer(str(tmp_path / "a"), OSError(code, os.strerror(code)))
    assert str(tmp_path / "a") in str(caught.value)
    assert os.strerror(code) in str(caught.value) and cure in str(caught.value)
    assert names(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_is_an_output_error(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"No space left.*free some space"):
        write_to_full_disk(str(tmp_path / "a"))
    assert names(tmp_path) == []


def test_a_file_in_the_place_of_a_directory_is_an_output_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(OutputError, match=r"a/b: cannot be written: .*; "):
        storage.write_bytes(str(tmp_path / "a" / "b"), b"x")


def test_a_copy_is_no_link(tmp_path: Path) -> None:
    storage.write_bytes(str(tmp_path / "a"), b"x")
    storage.copy(str(tmp_path / "a"), str(tmp_path / "b"))
    assert (tmp_path / "b").stat().st_nlink == 1
    with pytest.raises(InputError):
        storage.copy(str(tmp_path / "gone"), str(tmp_path / "c"))
    assert names(tmp_path) == ["a", "b"]


def test_deleting_a_link_leaves_what_it_points_to(tmp_path: Path) -> None:
    storage.write_bytes(str(tmp_path / "kept" / "a"), b"x")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    storage.delete_tree(str(tmp_path / "link"))
    assert names(tmp_path) == ["kept/a"]


def test_beam_is_not_imported_for_local_files() -> None:
    program = (
        "import sys, conceptloom.readers, conceptloom.storage\n"
        "conceptloom.storage.match('/dev/null')\n"
        "print('apache_beam' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tempfile.gettempdir())
    assert done.stdout.strip() == "False", done.stderr


def test_remote_paths_are_joined_with_slashes() -> None:
    assert storage.join("gs://bucket/", "a", "b") == "gs://bucket/a/b"
    assert FileSystems.get_scheme("memory://bucket") == "memory"
