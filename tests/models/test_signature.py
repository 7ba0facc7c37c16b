"""Signatures of models: every file that matters counts, no package is needed, and a file is hashed once."""

import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from fake_packages import write_model

from conceptloom.errors import ConfigError
from conceptloom.models import file_sha256, model_signature, signature
from conceptloom.similarity import make_scorer


@pytest.fixture(autouse=True)
def _without_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("torch", "transformers"):
        monkeypatch.setitem(sys.modules, package, None)


def test_a_signature_has_the_hash_of_each_file_and_says_what_the_model_is(tmp_path: Path) -> None:
    path = write_model(tmp_path)
    (tmp_path / "README.md").write_text("of no consequence")
    found = model_signature(path)
    assert (found["model"], found["width"]) == ("bert", 16)
    names = ("config.json", "model.safetensors", "tokenizer.json")
    assert found["files"] == {name: sha256((tmp_path / name).read_bytes()).hexdigest() for name in names}


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json", "vocab.txt", "1_Pool/a.json"])
def test_another_file_is_another_signature(tmp_path: Path, name: str) -> None:
    path = write_model(tmp_path)
    before = model_signature(path)["sha256"]
    (tmp_path / name).parent.mkdir(exist_ok=True)
    with (tmp_path / name).open("ab") as file:
        file.write(b" ")
    assert model_signature(path)["sha256"] != before


def test_where_a_model_lies_is_not_what_it_is(tmp_path: Path) -> None:
    one, other = (write_model(tmp_path / name) for name in ("one", "other"))
    assert model_signature(one) == model_signature(other)
    scorers = [make_scorer("bi-encoder", {"path": path}) for path in (one, other)]
    assert scorers[0].signature() == scorers[1].signature()


def test_a_file_is_hashed_once_until_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[int] = []

    def counting(*arguments: Any) -> Any:
        hashed.append(1)
        return sha256(*arguments)

    monkeypatch.setattr(signature, "sha256", counting)
    path = tmp_path / "file"
    path.write_bytes(b"a")
    assert file_sha256(path) == file_sha256(str(path)) == sha256(b"a").hexdigest()
    assert len(hashed) == 1
    path.write_bytes(b"bc")
    assert file_sha256(path) == sha256(b"bc").hexdigest()


def test_a_damaged_configuration_is_an_error(tmp_path: Path) -> None:
    path = write_model(tmp_path)
    for content in ("{", "[]"):
        (tmp_path / "config.json").write_text(content)
        with pytest.raises(ConfigError, match=r"config.json .*; give the directory of a model"):
            model_signature(path)
