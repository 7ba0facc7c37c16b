"""Builds for the end-to-end tests: run by the API or by the command line, and read back as plain rows."""

import atexit
import contextlib
import functools
import hashlib
import io
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conceptloom.cli import run
from conceptloom.pipelines import RECIPES
from conceptloom.pipelines.build.configuration import make_settings
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.build.engine import Build, Observer
from conceptloom.runners.direct import DirectRunner
from conceptloom.samples import sample

ROOT = Path(__file__).resolve().parents[2]
LAUNCHER = Path(__file__).with_name("launcher.py")
SAMPLES = Path(sample("captions_ko.json")).parent
SHARED = ROOT.parent / "shared" / "data" / "ko"
STAGES = ("ingest", "select", "split", "publish")
SPLITS = ("train", "validation", "test")
RECIPE = "korean-commongen"
SAMPLE_INPUTS = {
    "captions": {"patterns": [str(SAMPLES / "captions_ko.json")]},
    "dialogues": {"patterns": [str(SAMPLES / "dialogues_ko.json")]},
}
SAMPLE_ARGUMENTS = [f"--input={name}={source['patterns'][0]}" for name, source in SAMPLE_INPUTS.items()]
Row = dict[str, Any]


class Recorder(Observer):
    """Keeps which stages ran, and which were there already."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.found: list[str] = []

    def reused(self, stage: str, manifest: Any) -> None:
        self.found.append(stage)

    def finished(self, stage: str, manifest: Any) -> None:
        self.ran.append(stage)


def build(
    output: Path,
    inputs: Mapping[str, Any] | None = None,
    only: str | None = None,
    runner: Any = None,
    observer: Observer | None = None,
    update: bool = False,
    **settings: Any,
) -> Context:
    """A build by the API, in this process unless `runner` says otherwise; of the sample corpora by default."""
    recipe = RECIPES[RECIPE]
    chosen = make_settings(recipe.settings, {"inputs": inputs or SAMPLE_INPUTS, **settings}, "the test")
    runner, observer = runner or DirectRunner(), observer or Observer()
    return Build(recipe, chosen, str(output), runner, observer, update=update).run(only)


@functools.cache
def sample_build() -> Path:
    """The directory of a finished build of the sample corpora, made once a session. Not to be changed."""
    directory = Path(tempfile.mkdtemp(prefix="conceptloom-e2e-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    build(directory / "samples")
    return directory / "samples"


def command(*arguments: object) -> list[str]:
    """The command line as a list."""
    return [sys.executable, str(LAUNCHER), *map(str, arguments)]


def environment(**more: str) -> dict[str, str]:
    """This process's environment, and more."""
    return {**os.environ, **more}


def cli(
    *arguments: object, cwd: Path | None = None, stdin: str = "", env: Mapping[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Runs the command line in a process of its own."""
    return subprocess.run(
        command(*arguments),
        cwd=cwd,
        env=environment(**(env or {})),
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        **options,
    )


def finished_cli(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """As `cli`; fails, with what was said, when the status is not 0."""
    result = cli(*arguments, **options)
    assert result.returncode == 0, f"status {result.returncode}: {result.stderr[-3000:]}"
    return result


class Said(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def here(*arguments: object) -> Said:
    """Runs the command line in this process: for what is refused before a stage begins."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.setattr(sys, "argv", ["conceptloom", *map(str, arguments)])
        status = run()
    return Said(status, out.getvalue(), err.getvalue())


def files_of(directory: Path) -> dict[str, Path]:
    """Every file below a directory by its relative path."""
    return {str(path.relative_to(directory)): path for path in sorted(directory.rglob("*")) if path.is_file()}


def digests(directory: Path) -> dict[str, str]:
    """A hash of each file of a build, but for the manifests and the timings in the report."""
    return {
        name: hashlib.sha256(_without_timings(path)).hexdigest()
        for name, path in files_of(directory).items()
        if path.name != "MANIFEST.json"
    }


def _without_timings(path: Path) -> bytes:
    data = path.read_bytes()
    if path.name != "report.json":
        return data
    return json.dumps({key: value for key, value in json.loads(data).items() if key != "seconds"}).encode()


def change_a_byte(path: Path) -> None:
    """Changes one byte in the middle of a file, which keeps its size."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def differing(one: Path, other: Path) -> list[str]:
    """The files of two builds that are not alike, or only in one."""
    left, right = digests(one), digests(other)
    assert left, f"{one} is empty"
    return sorted(name for name in left.keys() | right.keys() if left.get(name) != right.get(name))


def rows(directory: Path, pattern: str) -> list[Row]:
    """The rows of all Parquet files that a pattern names, in the order of the files."""
    tables = [pq.read_table(path) for path in sorted(directory.glob(pattern))]
    found: list[Row] = pa.concat_tables(tables).to_pylist() if tables else []
    return found


def stage_rows(directory: Path, stage: str, kind: str) -> list[Row]:
    """The rows of one kind of shard (`sentences`, `rejected`, `index`) of one stage."""
    return rows(directory, f"stages/*-{stage}/{kind}-*.parquet")


def data_rows(directory: Path) -> dict[str, list[Row]]:
    """The published rows of each split."""
    return {split: rows(directory, f"data/{split}-*.parquet") for split in SPLITS}


def report(directory: Path) -> dict[str, Any]:
    """report.json."""
    found: dict[str, Any] = json.loads((directory / "report.json").read_text(encoding="utf-8"))
    return found


def sample_captions() -> list[str]:
    """The captions of the samples, empty ones and other defects included, in their order."""
    records = json.loads((SAMPLES / "captions_ko.json").read_text(encoding="utf-8"))
    return [caption for record in records for caption in record["caption_ko"] or ()]


def plain_sentences() -> list[str]:
    """Distinct captions of the samples that hardly any filter minds."""
    return list(dict.fromkeys(text for text in sample_captions() if text.isprintable() and text.endswith("다.")))


def many_sentences(count: int) -> Iterable[str]:
    """That many sentences: the samples' words recombined, the beginning of one with the end of another."""
    words = [text.split() for text in plain_sentences()]
    words = [one for one in words if len(one) >= 4]
    pairs = itertools.chain.from_iterable(
        ((words[at], words[(at + step) % len(words)]) for at in range(len(words))) for step in itertools.count()
    )
    for head, tail in itertools.islice(pairs, count):
        yield " ".join([*head[: len(head) // 2], *tail[len(tail) // 2 :]])


def write_lines(path: Path, lines: Iterable[str]) -> Path:
    """Writes a file of lines; answers its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def lines_input(*paths: Path, **more: Any) -> dict[str, Any]:
    """The settings of one source of files of lines."""
    return {"patterns": [str(path) for path in paths], "format": "lines", **more}


def concept_sets(found: Sequence[Row]) -> list[frozenset[str]]:
    """The concept set of each row."""
    return [frozenset(row["concepts"]) for row in found]
