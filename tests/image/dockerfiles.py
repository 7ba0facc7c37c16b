"""Reads a Dockerfile, and does here what its steps do there: each stage is a folder, their programs one environment."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Instruction:
    """One instruction, continued lines put together: its name in capitals, its flags, and the rest."""

    name: str
    flags: dict[str, str]
    text: str


@dataclass
class Stage:
    """A FROM and what follows it."""

    image: str
    name: str
    instructions: list[Instruction] = field(default_factory=list)

    def of(self, *names: str) -> list[Instruction]:
        """The stage's instructions of these kinds, in order."""
        return [one for one in self.instructions if one.name in names]


def read_stages(text: str) -> list[Stage]:
    """The stages of a Dockerfile, in order; of what stands before the first of them, the defaults of images."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    stages: list[Stage] = []
    defaults: dict[str, str] = {}
    for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        one = _instruction(line)
        if one.name == "FROM":
            image, _, name = re.split(r"\s+(as)\s+", one.text, flags=re.IGNORECASE)
            stages.append(Stage(defaults.get(image.strip("${}"), image), name))
        elif not stages:
            defaults.update([one.text.split("=", 1)])
        else:
            stages[-1].instructions.append(one)
    return stages


def _instruction(line: str) -> Instruction:
    name, _, rest = line.strip().partition(" ")
    found = re.match(r"(?P<flags>(?:\s*--\w+=\S+)*)\s*(?P<text>.*)", rest)
    assert found
    flags = dict(flag.removeprefix("--").split("=", 1) for flag in found["flags"].split())
    return Instruction(name.upper(), flags, re.sub(r"\s+", " ", found["text"]).strip())


def left_out(ignored: str, path: str) -> bool:
    """Whether a .dockerignore keeps a path out of the build: the last line that matches it, or a folder above it."""
    places = ["/".join(path.split("/")[:end]) for end in range(1, path.count("/") + 2)]
    verdict = False
    for line in filter(None, map(str.strip, ignored.splitlines())):
        pattern = line.removeprefix("!")
        loose = pattern.removeprefix("**/")
        if any(_matches(pattern, place) or (loose != pattern and _matches(loose, place)) for place in places):
            verdict = not line.startswith("!")
    return verdict


def _matches(pattern: str, place: str) -> bool:
    """As Docker does it: * stands for anything but a slash, ** for any folders."""
    expression = "".join(
        ".*" if part == "**" else "[^/]*" if part == "*" else re.escape(part)
        for part in re.split(r"(\*\*|\*)", pattern.strip("/"))
    )
    return re.fullmatch(expression, place) is not None


@dataclass
class Rehearsal:
    """Does the COPY and RUN steps of stages below a folder; programs come from one virtual environment."""

    stages: Mapping[str, Stage]
    context: Path
    ignored: str
    folder: Path
    programs: Path

    def root(self, stage: str) -> Path:
        """What stands for / in a stage."""
        return self.folder / stage

    def perform(self, name: str) -> None:
        """Every step of one stage; the stages that it copies from must be done."""
        directory = self.root(name)
        directory.joinpath("tmp").mkdir(parents=True)
        for one in self.stages[name].of("WORKDIR", "COPY", "RUN"):
            if one.name == "WORKDIR":
                directory = self.root(name) / one.text.strip("/")
                directory.mkdir(parents=True, exist_ok=True)
            elif one.name == "COPY":
                self._copy(one, name, directory)
            else:
                self._run(one, name, directory)

    def _copy(self, one: Instruction, stage: str, directory: Path) -> None:
        *sources, target = one.text.split()
        base = self.root(one.flags["from"]) if "from" in one.flags else self.context
        place = self.root(stage) / target.strip("/") if target.startswith("/") else directory / target
        for source in (base / source.strip("/") for source in sources):
            if source.is_dir():
                shutil.copytree(source, place, ignore=None if "from" in one.flags else self._ignore)
            else:
                shutil.copy(source, place / source.name if target.endswith("/") else place)

    def _ignore(self, directory: str, names: list[str]) -> set[str]:
        below = Path(directory).relative_to(self.context)
        return {name for name in names if left_out(self.ignored, str(below / name))}

    def _run(self, one: Instruction, stage: str, directory: Path) -> None:
        # Absolute paths mean the stage's own; what was downloaded before is not downloaded again.
        text = re.sub(r"(?<![\w./])/(?=[a-z])", f"{self.root(stage)}/", one.text).replace("--no-cache-dir", "")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        # Compiling what will never be imported takes as long as installing it.
        env = {**clean, "PATH": path, "PIP_NO_COMPILE": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        done = subprocess.run(
            ["sh", "-c", text], cwd=directory, env=env, capture_output=True, text=True, check=False, timeout=500
        )
        assert done.returncode == 0, f"{text}\n{done.stdout[-1000:]}\n{done.stderr[-3000:]}"
