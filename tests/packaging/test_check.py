"""The linters' command: what it forbids, and that it notices when the installed package is not the checkout."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from builds import ROOT

PLACES = tuple(f"{folder}/x.py" for folder in ("tests", "conceptloom", "pipelines/build", "transforms", "benchmarks"))


@pytest.fixture(scope="module")
def check() -> ModuleType:
    """scripts/check.py as a module."""
    spec = importlib.util.spec_from_file_location("check", ROOT / "scripts" / "check.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ruff(source: str, place: str) -> list[str]:
    """What ruff says of a source at this place in the checkout, a line each."""
    program = Path(sys.executable).with_name("ruff")
    options = ["--no-cache", "--quiet", "--output-format=concise", "--stdin-filename", str(ROOT / place)]
    done = subprocess.run(
        [program, "check", *options, "-"], cwd=ROOT, input=source, capture_output=True, text=True, check=False
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", ["pipelines", "transforms", "runners"])
def test_the_names_of_the_folders_are_forbidden(name: str, place: str) -> None:
    whole, part = ruff(f"import {name}\n\nprint({name})\n", place), ruff(f"from {name}.x import y\n\nprint(y)\n", place)
    assert len(whole) == len(part) == 1
    assert all(f"TID251 `{name}` is banned: import conceptloom.{name}" in line for line in (*whole, *part))
    assert ruff(f"import conceptloom.{name}\n\nprint(conceptloom.{name})\n", place) == []


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout in small, and beside it what is installed of it."""
    for name in ("conceptloom", "pipelines", "transforms", "runners"):
        for place in (tmp_path / "checkout" / name, tmp_path / "site" / name.replace("conceptloom", "")):
            (place / "part").mkdir(parents=True)
            (place / "part" / "module.py").write_text(f"# {name}\n")
    return tmp_path / "checkout"


def test_an_installation_of_the_checkout_is_recognised(check: ModuleType, checkout: Path) -> None:
    ours = check.modules_of_checkout(checkout)
    assert sorted(ours) == [f"{place}part/module.py" for place in ("", "pipelines/", "runners/", "transforms/")]
    assert check.different(ours, check.modules_below(checkout.parent / "site")) == []


def test_links_are_as_good_as_files(check: ModuleType, checkout: Path, tmp_path: Path) -> None:
    """An editable installation in strict mode is a folder of links."""
    site = tmp_path / "links"
    site.mkdir()
    for name in ("pipelines", "transforms", "runners"):
        (site / name).symlink_to(checkout / name)
    (site / "part").symlink_to(checkout / "conceptloom" / "part")
    assert check.different(check.modules_of_checkout(checkout), check.modules_below(site)) == []


@pytest.mark.parametrize(
    ("path", "text"), [("pipelines/new.py", ""), ("conceptloom/new.py", ""), ("runners/part/module.py", "# another\n")]
)
def test_another_installation_is_noticed(check: ModuleType, checkout: Path, path: str, text: str) -> None:
    (checkout / path).write_text(text)
    found = check.different(check.modules_of_checkout(checkout), check.modules_below(checkout.parent / "site"))
    assert found == [path.removeprefix("conceptloom/")]


def test_a_module_that_only_the_installation_has_is_noticed(check: ModuleType, checkout: Path) -> None:
    (checkout.parent / "site" / "part" / "old.py").touch()
    found = check.different(check.modules_of_checkout(checkout), check.modules_below(checkout.parent / "site"))
    assert found == ["part/old.py"]


def test_every_failure_counts(
    check: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:  # type: ignore[type-arg]
    asked: list[str] = []
    answers = {"lint": False, "types": True, "imports": False}
    for name, answer in answers.items():
        monkeypatch.setitem(check.CHECKS, name, lambda name=name, answer=answer: asked.append(name) or answer)
    assert check.main(answers) == 2
    assert asked == list(answers)
    assert capsys.readouterr().out.endswith("failed: lint, imports\n")
