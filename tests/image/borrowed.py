"""What Beam's SDK image brings, out of this environment: Beam with its Google part and all that they need, no more."""

import sys
import venv
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def needed(requirement: Requirement, seen: dict[tuple[str, str], Distribution]) -> Iterator[Distribution]:
    """The distributions that a requirement stands for, with all that they require in turn, each once."""
    for extra in ("", *requirement.extras):
        key = (canonicalize_name(requirement.name), extra)
        if key in seen:
            continue
        try:
            seen[key] = found = distribution(requirement.name)
        except PackageNotFoundError:
            return
        yield found
        for one in map(Requirement, found.requires or ()):
            if one.marker is None or one.marker.evaluate({"extra": extra}):
                yield from needed(one, seen)


def beam_environment(folder: Path) -> Path:
    """A fresh virtual environment with pip and what Beam's image has; answers the folder of its programs."""
    venv.create(folder / "venv", with_pip=True)
    lent = folder / "lent"
    lent.mkdir()
    for one in needed(Requirement("apache-beam[gcp]"), {}):
        for name in {file.parts[0] for file in one.files or ()} - {"..", "__pycache__", "pip", "setuptools"}:
            if not name.endswith(".pth") and not (lent / name).exists():
                (lent / name).symlink_to(Path(str(one.locate_file(name))))
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    (site / "lent.pth").write_text(f"{lent}\n")
    return folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
