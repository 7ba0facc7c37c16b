"""Registries: names are found, a second entry of a name is refused, an unknown name says what there is."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from conceptloom.errors import ConfigError
from conceptloom.filters import FILTERS
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.taggers import TAGGERS
from conceptloom.pipelines import RECIPES
from conceptloom.readers.base import READERS
from conceptloom.registry import Registry, _installed
from conceptloom.similarity import SCORERS
from conceptloom.splits.policies import POLICIES


@pytest.fixture
def colours() -> Registry[int]:
    registry = Registry[int]("colour")
    registry.add("red", 1)
    registry.register("blue")(2)
    return registry


def test_entries_are_found_by_name(colours: Registry[int]) -> None:
    assert (colours["red"], colours["blue"]) == (1, 2)
    assert "red" in colours
    assert "green" not in colours
    assert list(colours) == ["blue", "red"]
    assert list(colours.items()) == [("blue", 2), ("red", 1)]


def test_a_second_entry_of_a_name_is_refused(colours: Registry[int]) -> None:
    with pytest.raises(ValueError, match="colour 'red' is registered already"):
        colours.add("red", 3)
    with pytest.raises(ValueError, match="'blue'"):
        colours.register("blue")(2)
    assert (colours["red"], colours["blue"]) == (1, 2)


def test_an_unknown_name_says_what_there_is(colours: Registry[int]) -> None:
    with pytest.raises(ConfigError, match="no colour is called 'green'; there are: blue, red"):
        colours["green"]


def test_the_decorator_returns_the_entry(colours: Registry[int]) -> None:
    assert colours.register("green")(7) == 7


@pytest.mark.parametrize("registry", [FILTERS, RULES, TAGGERS, READERS, SCORERS, POLICIES], ids=lambda one: one.kind)
def test_every_back_end_has_a_summary_and_keeps_its_name(registry: Registry) -> None:  # type: ignore[type-arg]
    for name, entry in registry.items():
        assert entry.summary
        with pytest.raises(ValueError, match="registered already"):
            registry.add(name, entry)


@dataclass(frozen=True)
class Paint:
    """What a plug-in of these tests declares."""

    name: str
    shade: int


Declare = Callable[..., "Registry[Paint]"]


@pytest.fixture
def declare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Declare]:
    """Installs a package `dyes` 1.5 with one module and these entry points; returns a registry of their group."""

    def install(source: str, **points: str) -> Registry[Paint]:
        (tmp_path / "dyes.py").write_text(f"from {__name__} import Paint\n{source}\n")
        folder = tmp_path / "dyes-1.5.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: dyes\nVersion: 1.5\n")
        lines = "".join(f"{name} = {value}\n" for name, value in points.items())
        (folder / "entry_points.txt").write_text(f"[tests.paints]\n{lines}")
        _installed.cache_clear()
        return Registry[Paint]("paint", "tests.paints", Paint)

    monkeypatch.syspath_prepend(str(tmp_path))
    yield install
    sys.modules.pop("dyes", None)
    _installed.cache_clear()


def test_an_entry_point_is_found_and_imported_when_it_is_asked_for(declare: Declare) -> None:
    paints = declare("MADDER = Paint('madder', 7)\nOCHRE = Paint('ochre', 3)", madder="dyes:MADDER", ochre="dyes:OCHRE")
    paints.add("blue", Paint("blue", 1))
    assert list(paints) == ["blue", "madder", "ochre"]
    assert "madder" in paints and "green" not in paints
    assert "dyes" not in sys.modules, "names are told without an import"
    assert paints["madder"].shade == 7
    assert [(name, paint.shade) for name, paint in paints.items()] == [("blue", 1), ("madder", 7), ("ochre", 3)]


def test_an_unknown_name_lists_plug_ins_too(declare: Declare) -> None:
    with pytest.raises(ConfigError, match="no paint is called 'green'; there are: madder"):
        declare("", madder="dyes:MADDER")["green"]


@pytest.mark.parametrize(
    ("source", "value", "why"),
    [
        ("raise OSError('no pigment')", "dyes:MADDER", "OSError: no pigment"),
        ("import no_such_module_here", "dyes:MADDER", "ModuleNotFoundError: .*no_such_module_here"),
        ("", "dyes:MADDER", "AttributeError: .*MADDER"),
        ("MADDER = 7", "dyes:MADDER", "dyes:MADDER is no Paint"),
        ("MADDER = Paint('rose', 7)", "dyes:MADDER", "dyes:MADDER calls itself 'rose'"),
    ],
)
def test_a_broken_plug_in_is_named_with_its_package_and_harms_no_other_name(
    declare: Declare, source: str, value: str, why: str
) -> None:
    paints = declare(source, madder=value)
    paints.add("blue", Paint("blue", 1))
    message = rf"the paint 'madder' of the installed package dyes 1\.5 cannot be used: {why}"
    for _ in range(2):
        with pytest.raises(ConfigError, match=message):
            paints["madder"]
    assert paints["blue"] == Paint("blue", 1)


def test_a_plug_in_of_a_name_that_is_taken_is_refused(declare: Declare) -> None:
    paints = declare("MADDER = Paint('madder', 7)", madder="dyes:MADDER")
    paints.add("madder", Paint("madder", 1))
    with pytest.raises(ConfigError, match=r"package dyes 1\.5 declares the paint 'madder', .* registered already"):
        paints["madder"]


def test_a_name_that_a_plug_in_has_is_refused_to_others(declare: Declare) -> None:
    paints = declare("MADDER = Paint('madder', 7)", madder="dyes:MADDER")
    assert list(paints) == ["madder"]
    with pytest.raises(ValueError, match="paint 'madder' is registered already"):
        paints.add("madder", Paint("madder", 1))


def test_a_registry_without_a_group_has_no_plug_ins(declare: Declare) -> None:
    declare("MADDER = Paint('madder', 7)", madder="dyes:MADDER")
    assert list(Registry[Paint]("paint")) == []


def test_the_groups_are_those_of_the_documentation() -> None:
    registries = (READERS, FILTERS, SCORERS, RECIPES, TAGGERS, RULES)
    groups = [f"conceptloom.{name}" for name in ("readers", "filters", "scorers", "recipes", "taggers", "rules")]
    assert [registry._group for registry in registries] == groups
