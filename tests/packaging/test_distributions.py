"""Wheel and sdist: what they hold, that one is built from the other, and that a wheel works outside the checkout."""

import email
import email.message
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from builds import ROOT, files_of
from installed import (
    DOCUMENTS,
    PACKAGES,
    build_distributions,
    copy_source,
    distributions,
    install_into,
    installed_python,
    run_clean,
)
from mypy.modulefinder import FindModuleCache, ModuleNotFoundReason, SearchPaths
from mypy.options import Options
from packaging.specifiers import SpecifierSet

import conceptloom

INFO = f"conceptloom-{conceptloom.__version__}.dist-info"


def wheel_files(wheel: Path) -> dict[str, bytes]:
    """The content of each file in a wheel."""
    with zipfile.ZipFile(wheel) as files:
        return {name: files.read(name) for name in files.namelist()}


def shipped() -> Iterator[tuple[str, Path]]:
    """Every file of the installed folders, by its place in an installation."""
    for name in PACKAGES:
        place = name if name == "conceptloom" else f"conceptloom/{name}"
        for path, file in files_of(ROOT / name).items():
            if "__pycache__" not in path:
                yield f"{place}/{path}", file


def test_a_wheel_holds_every_file_of_the_packages_and_no_other() -> None:
    found = wheel_files(distributions().wheel)
    held = {name: data for name, data in found.items() if not name.startswith(f"{INFO}/")}
    assert sorted(held) == sorted(name for name, _ in shipped())
    assert [name for name, file in shipped() if held[name] != file.read_bytes()] == []


def test_what_is_no_module_is_among_them() -> None:
    """Guards the test above against a folder that moved."""
    names = set(wheel_files(distributions().wheel))
    assert {
        "conceptloom/py.typed",
        "conceptloom/pipelines/__init__.py",
        "conceptloom/runners/airflow/conceptloom_dag.py",
        "conceptloom/samples/captions_ko.json",
        "conceptloom/similarity/data/static-ko.npz",
        "conceptloom/metrics/measures/commongen/data/noun.exc",
    } <= names


def test_conceptloom_is_the_only_importable_name() -> None:
    files = wheel_files(distributions().wheel)
    assert {name.split("/")[0] for name in files} == {"conceptloom", INFO}
    assert files[f"{INFO}/top_level.txt"].split() == [b"conceptloom"]
    assert b"conceptloom = conceptloom.cli:main" in files[f"{INFO}/entry_points.txt"]


def test_the_sdist_gives_the_wheel_of_the_checkout(tmp_path: Path) -> None:
    build_distributions(copy_source(tmp_path / "source"), tmp_path / "dist", "--wheel")
    (direct,) = tmp_path.glob("dist/*.whl")
    assert wheel_files(direct) == wheel_files(distributions().wheel)


def test_the_sdist_has_licences_documents_and_what_builds_it() -> None:
    with tarfile.open(distributions().sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"setup.py", "pyproject.toml", *DOCUMENTS} <= names
    assert not [name for name in names if name.endswith(".pyc")]


def metadata() -> email.message.Message:
    """The core metadata of the wheel."""
    return email.message_from_bytes(wheel_files(distributions().wheel)[f"{INFO}/METADATA"])


def test_classifiers_name_the_pythons_that_it_installs_on() -> None:
    said = metadata()
    named = re.findall(r"Python :: (3\.\d+)$", "\n".join(said.get_all("Classifier", [])), re.MULTILINE)
    assert set(named) == set(SpecifierSet(said["Requires-Python"]).filter([f"3.{minor}" for minor in range(30)]))
    assert "Typing :: Typed" in said.get_all("Classifier", [])


def test_licences_and_addresses() -> None:
    said = metadata()
    assert said["License"] == "Apache-2.0"
    assert said.get_all("License-File") == ["LICENSE", "NOTICE"]
    urls = [line.partition(", ")[2] for line in said.get_all("Project-URL", [])]
    assert urls and all(url.startswith("https://aclanthology.org/") for url in urls)


def test_twine_has_nothing_to_say() -> None:
    pytest.importorskip("twine", reason="wants twine: pip install '.[test]'")
    done = run_clean([sys.executable, "-m", "twine", "check", "--strict", *distributions()], ROOT)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("PASSED") == 2


@pytest.mark.parametrize("recipe", ["korean-commongen", "commongen"])
def test_an_installed_wheel_runs_the_demos_outside_the_checkout(tmp_path: Path, recipe: str) -> None:
    python = installed_python()
    where = run_clean([python, "-I", "-c", "import conceptloom as c; print(c.__file__)"], tmp_path)
    assert where.stdout.startswith(str(python.parents[1])), where.stderr
    done = run_clean([python, "-I", "-m", "conceptloom", "demo", "--recipe", recipe, "--output", "demo"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "demo" / "MANIFEST.json").exists()


@pytest.mark.parametrize("module", ["registry", "pipelines.builds.diff", "runners.counters", "transforms.receipts"])
def test_type_checkers_read_its_types_in_every_package(tmp_path: Path, module: str) -> None:
    """One marker, py.typed, stands for all packages in it."""
    with zipfile.ZipFile(distributions().wheel) as files:
        files.extractall(tmp_path)
    file = tmp_path.joinpath("conceptloom", *module.split(".")).with_suffix(".py")
    assert found_by_mypy(tmp_path, f"conceptloom.{module}") == str(file)
    (tmp_path / "conceptloom" / "py.typed").unlink()
    assert found_by_mypy(tmp_path, f"conceptloom.{module}") is ModuleNotFoundReason.FOUND_WITHOUT_TYPE_HINTS


def found_by_mypy(site: Path, module: str) -> object:
    """Where mypy finds the types of an installed module, or why it does not."""
    return FindModuleCache(SearchPaths((), (), (str(site),), ()), None, Options()).find_module(module)


def foreign_wheel(folder: Path) -> Path:
    """A wheel of somebody else with packages of the names that the folders of the checkout have."""
    names = [name for name in PACKAGES if name != "conceptloom"]
    path = folder / "foreign-1.0-py3-none-any.whl"
    info = "foreign-1.0.dist-info"
    files = {
        **{f"{name}/__init__.py": f"WHOSE = 'foreign {name}'\n" for name in names},
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: foreign\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"]))
    return path


@pytest.mark.parametrize("ours_first", [True, False])
def test_a_foreign_package_transforms_and_ours_leave_each_other_alone(tmp_path: Path, ours_first: bool) -> None:
    wheels = [distributions().wheel, foreign_wheel(tmp_path)]
    target = tmp_path / "target"
    target.mkdir()
    install_into(target, *(wheels if ours_first else wheels[::-1]))
    for wheel in wheels:
        expected = {name: data for name, data in wheel_files(wheel).items() if ".dist-info/" not in name}
        assert [name for name, data in expected.items() if (target / name).read_bytes() != data] == []
    script = "import transforms, conceptloom.transforms as ours; print(transforms.WHOSE, hasattr(ours, 'WHOSE'))"
    done = run_clean([sys.executable, "-c", script], tmp_path, PYTHONPATH=str(target))
    assert done.stdout == "foreign transforms False\n", done.stderr
