"""What setup.py names, against what others say of the same packages."""

from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from test_dockerfile import distribution as setup_py


def of_extra(requires: dict[str, list[str]], extra: str) -> list[str]:
    """The requirements of an extra: setuptools keeps those with a marker under `extra:marker`."""
    named = ((*key.partition(":")[::2], one) for key, several in requires.items() for one in several)
    return [f"{one}; {marker}" if marker else one for name, marker, one in named if name == extra]


def bounds(requirements: list[str], python: str, extra: str = "") -> dict[str, SpecifierSet]:
    """The versions allowed of each package for a version of Python."""
    where = {"python_version": python, "python_full_version": f"{python}.0", "extra": extra}
    found = map(Requirement, requirements)
    return {one.name: one.specifier for one in found if one.marker is None or one.marker.evaluate(where)}


@pytest.mark.parametrize("python", ["3.10", "3.11", "3.12", "3.13"])
def test_google_packages_have_the_bounds_of_beams_own_extra(python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = bounds(of_extra(setup_py(monkeypatch).extras_require, "gcp"), python)
    theirs = bounds(metadata.requires("apache-beam") or [], python, "gcp")
    assert len(ours) == 4 and ours == {name: theirs[name] for name in ours}
