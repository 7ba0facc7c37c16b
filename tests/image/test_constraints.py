"""constraints.txt: what the command writes, that it names every dependency, and that setup.py allows what it names."""

import re
import runpy
from importlib.metadata import PackageNotFoundError, distribution

import pytest
from builds import ROOT
from dockerfiles import read_stages
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from setuptools import Distribution
from test_dockerfile import TEXT
from test_dockerfile import distribution as setup_py

SCRIPT = runpy.run_path(str(ROOT / "scripts" / "constraints.py"))
LINES = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
VERSIONS = dict(line.split("==") for line in LINES if not line.startswith("#"))
TARGET = {"python_version": SCRIPT["python_of"](TEXT), "sys_platform": "linux", "platform_system": "Linux"}


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Distribution:
    return setup_py(monkeypatch)


def applies(requirement: Requirement, extra: str = "") -> bool:
    """Whether a requirement is one in the image."""
    return requirement.marker is None or requirement.marker.evaluate({**TARGET, "extra": extra})


def test_each_line_is_a_package_and_a_version() -> None:
    """Nothing of the machine on which it was written, or of the index that it used."""
    assert LINES[0].startswith("#") and f"Python {TARGET['python_version']}, Linux" in LINES[0]
    names = [line.partition("==")[0] for line in LINES[2:]]
    assert names == sorted(set(names)) == [canonicalize_name(name) for name in names]
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", line) for line in LINES[2:])
    assert "conceptloom" not in names


def test_they_are_what_setup_py_wants(said: Distribution) -> None:
    wanted = [*said.install_requires, *(one for extra in SCRIPT["EXTRAS"] for one in said.extras_require[extra])]
    for one in filter(applies, map(Requirement, wanted)):
        assert one.specifier.contains(VERSIONS[canonicalize_name(one.name)]), one
    for one in map(Requirement, SCRIPT["pins"](TEXT)):
        assert one.specifier.contains(VERSIONS[canonicalize_name(one.name)]), one


def test_they_are_for_the_extras_of_the_image() -> None:
    named = {extra for group in re.findall(r"\.whl\)\[([^\]]+)\]", TEXT) for extra in group.split(",")}
    assert set(SCRIPT["EXTRAS"]) == named
    installs = [
        part
        for stage in read_stages(TEXT)
        for one in stage.of("RUN")
        for part in one.text.split("&&")
        if "pip install" in part
    ]
    assert installs and all("--constraint /wheels/constraints.txt" in part for part in installs)


def test_they_name_what_the_packages_want_in_turn() -> None:
    """As far as the same versions are installed here: their own metadata is asked."""
    checked = 0
    for name, version in VERSIONS.items():
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue
        if found.version == version:
            checked += 1
            missing = [one.name for one in map(Requirement, found.requires or ()) if applies(one)
                       and canonicalize_name(one.name) not in VERSIONS]  # fmt: skip
            assert missing == [], name
    if not checked:
        pytest.skip("none of these versions is installed here")


def test_the_command_writes_names_and_versions_alone() -> None:
    packages = [("Zope.Interface", "2"), ("torch", "2.8.0+cu126"), ("conceptloom", "0.1.0"), ("a_b", "1.0")]
    report = {
        "install": [
            {"metadata": {"name": name, "version": version}, "download_info": {"url": "file:///somewhere"}}
            for name, version in packages
        ]
    }
    lines = SCRIPT["constraints"](report, "3.11").splitlines()
    assert lines[2:] == ["a-b==1.0", "torch==2.8.0", "zope-interface==2"]
    assert SCRIPT["normal"]("Python-MeCab_Ko..Dic") == canonicalize_name("Python-MeCab_Ko..Dic")
