"""The plan of many input files: their names, and that its cost grows with their number and not with its square."""

import os.path
from pathlib import Path
from threading import Barrier

import pytest

from conceptloom.pipelines.build import inputs
from conceptloom.pipelines.build.inputs import BATCH, plan_inputs
from conceptloom.pipelines.build.settings import InputSettings


def _source(directory: Path, count: int) -> InputSettings:
    for number in range(count):
        path = directory / f"{number % 3}" / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("나는 학교에 간다.\n", encoding="utf-8")
    return InputSettings(patterns=(str(directory / "*" / "*.txt"),))


def test_a_name_is_relative_to_the_common_directory_of_its_source(tmp_path: Path) -> None:
    sources = {"a": _source(tmp_path / "a", 7), "b": _source(tmp_path / "b", 1)}
    plan = plan_inputs(sources)
    for source in sources:
        mine = [file for file in plan.files if file.source == source]
        base = os.path.commonpath([os.path.dirname(file.path) for file in mine])
        assert [file.name for file in mine] == [os.path.relpath(file.path, base) for file in mine]
        assert [file.path for file in mine] == sorted(file.path for file in mine)
    assert plan == plan_inputs(dict(reversed(sources.items())))


def test_a_source_has_one_common_directory_however_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = inputs.commonpath
    monkeypatch.setattr(inputs, "commonpath", lambda paths: asked.append(1) or real(paths))
    assert len(plan_inputs({"a": _source(tmp_path / "a", 40), "b": _source(tmp_path / "b", 9)}).files) == 49
    assert len(asked) == 2


def test_heads_are_read_by_several_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two files that wait for each other are both read."""
    together, waited = Barrier(2, timeout=20), []
    real = inputs.read_head

    def read(path: str) -> bytes:
        if path.endswith(("/0.txt", f"/{count - 1}.txt")):
            waited.append(together.wait())
        return real(path)

    count = 3 * BATCH
    source = _source(tmp_path, count)
    monkeypatch.setattr(inputs, "read_head", read)
    assert len(plan_inputs({"a": source}).files) == count
    assert sorted(waited) == [0, 1]
