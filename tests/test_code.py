"""Which code a stage's fingerprint covers, against the standard library's parser."""

import ast
import importlib
import json
import pkgutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import conceptloom
from conceptloom import code
from conceptloom.code import closure, code_digest, imports_of, plugin_code, source_path
from conceptloom.errors import ConfigError
from conceptloom.pipelines import RECIPES

MODULES = [module.name for module in pkgutil.walk_packages(conceptloom.__path__, "conceptloom.")]


def parsed_imports(module: str) -> set[str]:
    """What `imports_of` must return, by the standard library's parser. Imports here are absolute (a linter's rule)."""
    source = source_path(module)
    assert source is not None
    named = {module if source.name == "__init__.py" else module.rpartition(".")[0]}
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            named |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    parts = {tuple(name.split(".")[:count]) for name in named for count in range(1, 9)}
    return {".".join(part) for part in parts if part[0] == "conceptloom" and source_path(".".join(part))}


@pytest.mark.parametrize("module", MODULES)
def test_imports_are_those_that_a_parser_finds(module: str) -> None:
    assert imports_of(module) == parsed_imports(module)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An importable package `loomed` whose modules import each other, and what a test does to it."""
    folder = tmp_path / "loomed"
    (folder / "data").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "data" / "table.npz").write_bytes(b"1")
    (folder / "task.py").write_text("from . import used\nfrom .deep.far import (\n    thing,  # why\n    other,\n)\n")
    (folder / "used.py").write_text("def late():\n    import loomed.lazy as l\n")
    (folder / "lazy.py").write_text("from conceptloom.hashing import text_id\n")
    (folder / "unused.py").write_text("")
    (folder / "deep").mkdir()
    (folder / "deep" / "__init__.py").write_text("")
    (folder / "deep" / "far.py").write_text("from ..sideways import x\nthing = other = x\n")
    (folder / "sideways.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    yield folder
    for name in [name for name in sys.modules if name.startswith("loomed")]:
        del sys.modules[name]
    forget()


def forget() -> None:
    """As in a new process."""
    for cached in (code.imports_of, code.source_path, code._content):
        cached.cache_clear()


def test_what_is_imported_in_any_way_counts_and_nothing_else(package: Path) -> None:
    found = closure(["loomed.task"])
    own = {name for name in found if name.startswith("loomed")}
    names = ("", ".task", ".used", ".lazy", ".deep", ".deep.far", ".sideways")
    assert own == {f"loomed{name}" for name in names}
    assert "conceptloom.hashing" in found


@pytest.mark.parametrize("changed", ["task.py", "lazy.py", "sideways.py", "deep/__init__.py", "data/table.npz"])
def test_a_change_of_what_is_used_is_another_digest(package: Path, changed: str) -> None:
    before = code_digest(["loomed.task"])
    with (package / changed).open("a") as file:
        file.write("# more\n")
    forget()
    assert code_digest(["loomed.task"]) != before


def test_a_change_of_what_is_not_used_is_the_same_digest(package: Path) -> None:
    before = code_digest(["loomed.task"])
    (package / "unused.py").write_text("# more\n")
    forget()
    assert code_digest(["loomed.task"]) == before


def test_a_module_that_is_not_there_is_an_error_that_names_it() -> None:
    with pytest.raises(ConfigError, match="there is no module conceptloom.nowhere"):
        code_digest(["conceptloom.nowhere"])


def test_no_stage_is_made_of_the_code_of_ratings_pages_or_other_recipes() -> None:
    """A typo that is mended there must not tag a corpus again."""
    for name, recipe in RECIPES.items():
        others = {other for other in RECIPES if other != name}
        for stage in recipe.stages:
            found = closure(stage.modules)
            parts = {module.split(".")[1] for module in found if "." in module}
            assert not parts & {"cli", "ratings", "reporting", "metrics", "annotation", "transfer", "runners"}
            for other in others:
                folders = tuple(f"conceptloom.{layer}.{other.replace('-', '_')}" for layer in ("tasks", "transforms"))
                assert not [module for module in found if module.startswith(folders)]


def test_code_of_other_packages_is_a_setting_and_ours_is_not() -> None:
    assert plugin_code([closure, partial(closure), ConfigError]) == {}
    assert plugin_code([closure, json.loads, partial(json.dumps)]) == {"plugin_code": code_digest(["json"])}
