"""Writes constraints.txt: the one version of every package that the image installs, so that each build of it is alike.

    python scripts/constraints.py [--output FILE]

pip resolves what setup.py asks for with the extras of the image, and what the Dockerfile pins; nothing is installed.
It wants the image's Python, on Linux.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("gcp", "evaluation", "neural", "faiss-gpu")
"""The extras of setup.py that the targets of the Dockerfile install."""
OWN = "conceptloom"

HEADER = """\
# The version of every package that the image installs (see Dockerfile): Python {python}, Linux, extras {extras}.
# Written by `python scripts/constraints.py`; not to be edited.
"""


def pins(dockerfile: str) -> list[str]:
    """The requirements that a Dockerfile pins itself, `name==version`, and Beam at the version of its image."""
    (beam,) = set(re.findall(r"apache/beam_python[\d.]+_sdk:([\d.]+)", dockerfile))
    return sorted({f"apache-beam=={beam}", *re.findall(r"[\w.-]+==[\w.]+", dockerfile)})


def python_of(dockerfile: str) -> str:
    """The version of Python of Beam's image in a Dockerfile, such as 3.11."""
    (version,) = set(re.findall(r"apache/beam_python([\d.]+)_sdk:", dockerfile))
    return version


def resolved(requirements: Iterable[str]) -> dict[str, Any]:
    """pip's report on what it would install for these requirements; raises CalledProcessError if it finds no way."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        subprocess.run([*command, "--report", str(report), *requirements], cwd=ROOT, check=True)
        found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
        return found


def constraints(report: dict[str, Any], python: str) -> str:
    """The text of the file: a line `name==version` for each package of a report but our own, sorted by name."""
    found = {normal(one["metadata"]["name"]): one["metadata"]["version"] for one in report["install"]}
    # A local part (+cu126) names a build of one index; the version is the same.
    lines = [f"{name}=={version.partition('+')[0]}\n" for name, version in sorted(found.items()) if name != OWN]
    return HEADER.format(python=python, extras=", ".join(EXTRAS)) + "".join(lines)


def normal(name: str) -> str:
    """The normal form of a package's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description="Writes the constraints of the image.")
    parser.add_argument("--output", type=Path, default=ROOT / "constraints.txt", help="the file to write")
    options = parser.parse_args()
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    python = python_of(dockerfile)
    if python != f"{sys.version_info.major}.{sys.version_info.minor}" or sys.platform != "linux":
        print(f"the image has Python {python} on Linux: run this with it", file=sys.stderr)
        return 1
    try:
        report = resolved([f".[{','.join(EXTRAS)}]", *pins(dockerfile)])
    except subprocess.CalledProcessError:
        print("pip found no versions that suit all (it says why above); nothing was written", file=sys.stderr)
        return 1
    options.output.write_text(constraints(report, python), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
