"""The examples in the docstrings of every module, of the package as it is installed."""

import doctest
import importlib
import pkgutil

import pytest

import conceptloom

MODULES = [
    module.name
    for module in pkgutil.walk_packages(conceptloom.__path__, "conceptloom.")
    if not module.name.endswith("__main__")
]


WANTED = {"conceptloom.metrics.measures.commongen.captions": "spacy"}
"""What the examples of a module want beyond the extra `test`."""


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str) -> None:
    if name in WANTED:
        pytest.importorskip(WANTED[name], reason="wants pip install 'conceptloom[evaluation]'")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(found) >= 15
