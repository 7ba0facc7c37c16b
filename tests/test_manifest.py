"""Manifests: written and read back, damaged ones named, missing files found, digests of content and not of order."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from conceptloom.errors import OutputError
from conceptloom.manifest import NAME, Manifest, digest, missing_files, read_manifest
from conceptloom.tables import write_file


@pytest.fixture
def manifest(tmp_path: Path) -> Manifest:
    """A finished stage with two files, in tmp_path / "stage"."""
    directory = tmp_path / "stage"
    files = []
    for name, data in (("a.txt", b"one\n"), ("below/b.txt", b"two lines\n" * 2)):
        entry = write_file(str(directory / name), data, data.count(b"\n"))
        files.append({**entry, "path": name})
    made = Manifest("ingest", "f1", {"시드": 3}, tuple(files), {"captions": {"read": 3}}, {"rows": 3}, 1.5)
    made.write(str(directory))
    return made


def test_what_is_written_is_read(manifest: Manifest, tmp_path: Path) -> None:
    assert read_manifest(str(tmp_path / "stage")) == manifest
    assert missing_files(manifest, str(tmp_path / "stage")) == []


def test_there_is_none_where_there_is_none(tmp_path: Path) -> None:
    assert read_manifest(str(tmp_path)) is None
    assert read_manifest(str(tmp_path / "nowhere")) is None


DAMAGED = [b"", b'{"name": "ing', b"[]", b"null", b'{"name": "a"}', b'{"files": 3}', b"\xff\xfe"]


@pytest.mark.parametrize("data", DAMAGED)
def test_a_damaged_manifest_is_named_with_a_cure(tmp_path: Path, data: bytes) -> None:
    (tmp_path / NAME).write_bytes(data)
    with pytest.raises(OutputError, match=f"{NAME} is not a manifest .*--overwrite"):
        read_manifest(str(tmp_path))


def test_a_manifest_with_an_unknown_field_is_refused(manifest: Manifest, tmp_path: Path) -> None:
    path = tmp_path / "stage" / NAME
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), "future": 1}), encoding="utf-8")
    with pytest.raises(OutputError, match="future"):
        read_manifest(str(tmp_path / "stage"))


def test_missing_and_cut_files_are_found(manifest: Manifest, tmp_path: Path) -> None:
    (tmp_path / "stage" / "a.txt").unlink()
    assert missing_files(manifest, str(tmp_path / "stage")) == ["a.txt"]
    (tmp_path / "stage" / "below" / "b.txt").write_bytes(b"two")
    assert missing_files(manifest, str(tmp_path / "stage")) == ["a.txt", "below/b.txt"]
    assert missing_files(manifest, str(tmp_path / "nowhere")) == ["a.txt", "below/b.txt"]


def test_the_digest_is_that_of_the_files_content(manifest: Manifest) -> None:
    first, second = manifest.files
    assert replace(manifest, settings={}, seconds=9.0, summary={}).digest() == manifest.digest()
    changed = ({**first, "blake2b": "0" * 32}, second), ({**first, "path": "c.txt"}, second), (first,)
    assert manifest.digest() not in {replace(manifest, files=files).digest() for files in changed}


def test_digests_do_not_depend_on_the_order_of_keys() -> None:
    assert digest({"a": 1, "나": [1, 2]}) == digest({"나": [1, 2], "a": 1})
    assert len({digest(data) for data in ({"a": 1}, {"a": 2}, {"a": "1"}, {"b": 1}, [1, 2], [2, 1], None)}) == 7
