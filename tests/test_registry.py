"""Registries: names are found, a second entry of a name is refused, an unknown name says what there is."""

import pytest

from conceptloom.errors import ConfigError
from conceptloom.filters import FILTERS
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.taggers import TAGGERS
from conceptloom.readers.base import READERS
from conceptloom.registry import Registry
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


def test_the_decorator_answers_the_entry(colours: Registry[int]) -> None:
    assert colours.register("green")(7) == 7


@pytest.mark.parametrize("registry", [FILTERS, RULES, TAGGERS, READERS, SCORERS, POLICIES], ids=lambda one: one.kind)
def test_every_back_end_has_a_summary_and_keeps_its_name(registry: Registry) -> None:  # type: ignore[type-arg]
    for name, entry in registry.items():
        assert entry.summary
        with pytest.raises(ValueError, match="registered already"):
            registry.add(name, entry)
