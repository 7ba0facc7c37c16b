"""The package as it would be installed elsewhere: a virtual environment with the project's wheel."""

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

from builds import ROOT


@functools.cache
def installed_python() -> Path:
    """The python of an environment with the package's wheel, and the packages of this one; made once a session."""
    directory = Path(tempfile.mkdtemp(prefix="conceptloom-installed-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    source = _source(directory / "source")
    venv.create(directory / "venv", system_site_packages=True, with_pip=False)
    (site,) = (directory / "venv").glob("lib/python*/site-packages")
    paths = [path for path in sys.path if path.endswith("-packages") and Path(path).is_dir()]
    (site / "borrowed.pth").write_text("".join(f"{path}\n" for path in paths))
    _install(source, directory / "wheels", site)
    return directory / "venv" / "bin" / "python"


def _source(target: Path) -> Path:
    """What a wheel is made of, apart from what lies about in the working directory."""
    target.mkdir(parents=True)
    for name in ("setup.py", "pyproject.toml", "README.md"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, target)
    for name in ("conceptloom", "transforms", "pipelines", "runners"):
        shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def _install(source: Path, wheels: Path, site: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    made = run_clean([*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", wheels, "."], source)
    if made.returncode == 0:
        (wheel,) = wheels.glob("*.whl")
        done = run_clean([*pip, "install", "--no-deps", "--no-index", "--target", site, wheel], source)
    else:
        # Without the package `wheel` old setuptools make no wheel; what a wheel holds is what `build` copies.
        done = run_clean([sys.executable, "setup.py", "-q", "build", "--build-lib", site], source)
    assert done.returncode == 0, done.stderr


def run_clean(arguments: Sequence[str | Path], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command that finds no project by PYTHONPATH."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(part) for part in arguments], cwd=cwd, env=clean, capture_output=True, text=True, check=False, timeout=180
    )
