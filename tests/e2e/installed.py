"""The package as it would be installed elsewhere: its sdist and wheel, and a virtual environment with the wheel."""

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pytest
from builds import ROOT

PACKAGES = ("conceptloom", "transforms", "pipelines", "runners")
"""The folders of the checkout that are installed."""
DOCUMENTS = ("LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "MANIFEST.in", "docs")


class Distributions(NamedTuple):
    """The files that a release consists of."""

    sdist: Path
    wheel: Path


@functools.cache
def installed_python() -> Path:
    """The python of an environment with the package's wheel, and the packages of this one; made once a session."""
    directory = Path(tempfile.mkdtemp(prefix="conceptloom-installed-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    source = copy_source(directory / "source")
    venv.create(directory / "venv", system_site_packages=True, with_pip=False)
    (site,) = (directory / "venv").glob("lib/python*/site-packages")
    paths = [path for path in sys.path if path.endswith("-packages") and Path(path).is_dir()]
    (site / "borrowed.pth").write_text("".join(f"{path}\n" for path in paths))
    _install(source, directory / "wheels", site)
    return directory / "venv" / "bin" / "python"


@functools.cache
def distributions() -> Distributions:
    """The sdist, and the wheel that is built from it; made once a session."""
    if int(version("setuptools").partition(".")[0]) < 77:
        pytest.skip("building wants setuptools 77 or later in this environment: pip install '.[test]'")
    directory = Path(tempfile.mkdtemp(prefix="conceptloom-distributions-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    build_distributions(copy_source(directory / "source"), directory / "dist")
    (sdist,), (wheel,) = directory.glob("dist/*.tar.gz"), directory.glob("dist/*.whl")
    return Distributions(sdist, wheel)


def build_distributions(source: Path, target: Path, *options: str) -> None:
    """Runs `python -m build` on a folder, without its isolated environment, which is downloaded."""
    made = run_clean([sys.executable, "-m", "build", "--no-isolation", *options, "--outdir", target, source], source)
    assert made.returncode == 0, made.stdout[-2000:] + made.stderr[-2000:]


def copy_source(target: Path) -> Path:
    """Copies what distributions are made of, without what else lies in the working directory; returns `target`."""
    target.mkdir(parents=True)
    for name in ("setup.py", "pyproject.toml", *DOCUMENTS, *PACKAGES):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif (ROOT / name).exists():
            shutil.copy(ROOT / name, target)
    return target


def install_into(folder: Path, *packages: Path) -> None:
    """Installs wheels, or packages from their folders, into a folder, each by a pip of its own."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "install", "--no-compile"]
    for package in packages:
        done = run_clean([*pip, "--no-deps", "--no-build-isolation", "--no-index", "--target", folder, package], folder)
        assert done.returncode == 0, done.stderr


def _install(source: Path, wheels: Path, site: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    made = run_clean([*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", wheels, "."], source)
    if made.returncode == 0:
        (wheel,) = wheels.glob("*.whl")
        install_into(site, wheel)
        return
    # Without the package `wheel` old setuptools make no wheel; what a wheel holds is what `build` copies.
    done = run_clean([sys.executable, "setup.py", "-q", "build", "--build-lib", site], source)
    assert done.returncode == 0, done.stderr


def run_clean(
    arguments: Sequence[str | Path], cwd: Path, timeout: float = 180, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs a command that finds no project by PYTHONPATH, unless `environment` has one."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(part) for part in arguments],
        cwd=cwd,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )
