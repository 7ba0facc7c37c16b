"""Inputs: a configuration can be used from any folder, and an encoding that is given is the one that counts."""

import os
from pathlib import Path

import pytest

from conceptloom.pipelines import RECIPES
from conceptloom.pipelines.build.configuration import from_yaml, make_settings, to_yaml
from conceptloom.pipelines.build.inputs import plan_inputs
from conceptloom.pipelines.build.settings import InputSettings

TEXT = "두 사람이 우산을 쓰고 걷는다.\n개가 공을 물고 들판을 달린다.\n"


def test_a_resolved_configuration_finds_its_files_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "raw").mkdir()
    for name in ("raw/a.txt", "raw/b.txt", "names.txt"):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    patterns = {"s": {"patterns": ["raw/*.txt", "./raw/b.txt", "gs://bucket/*.txt"]}}
    data = {"inputs": patterns, "conceptnet": "names.txt"}
    settings = make_settings(RECIPES["commongen"].settings, data, "the test")
    monkeypatch.chdir("/")
    again = make_settings(RECIPES["commongen"].settings, from_yaml(to_yaml(settings), "config.yaml"), "config.yaml")
    assert again == settings
    assert again.inputs["s"].patterns == (f"{tmp_path}/raw/*.txt", f"{tmp_path}/raw/b.txt", "gs://bucket/*.txt")
    assert again.conceptnet == str(tmp_path / "names.txt")
    local = plan_inputs({"s": InputSettings(patterns=again.inputs["s"].patterns[:2])})
    assert [os.path.basename(file.path) for file in local.files] == ["a.txt", "b.txt"]


def test_the_model_of_a_scorer_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = {"inputs": {"s": {"patterns": ["a.txt"]}}, "select": {"scorer": {"name": "bi-encoder", "path": "model"}}}
    settings = make_settings(RECIPES["korean-commongen"].settings, data, "the test")
    assert settings.select.scorer == {"name": "bi-encoder", "path": str(tmp_path / "model")}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "UTF-16LE", "utf-16"])
@pytest.mark.parametrize(("name", "text", "format"), [("a.txt", TEXT, "lines"), ("a.csv", f"말,수\n{TEXT}", "table")])
def test_a_format_is_found_in_the_encoding_that_is_given(
    tmp_path: Path, encoding: str, name: str, text: str, format: str
) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode("utf-16-le" if encoding == "utf-16" else encoding))
    (note,) = plan_inputs({"s": InputSettings(patterns=(str(path),), encoding=encoding)}).notes
    assert f"format {format} (found)" in note
