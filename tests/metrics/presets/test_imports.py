"""A preset imports what it uses: the packages of the others, which take seconds, are left alone."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from needed import needs_captions

SLOW = ("lemminflect", "nltk", "pandas", "sacrebleu", "scipy", "sklearn", "spacy", "torch", "apache_beam", "pydantic")
SETS = '{"concept-set": "개#공", "scene": ["the dogs 개"]}\n{"concept-set": "방#책", "scene": ["방"]}\n'


def _imported(code: str, folder: Path) -> set[str]:
    """Which of SLOW a fresh process has after this code."""
    shown = f"{code}\nimport sys; print(*[name for name in {SLOW!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", shown], cwd=folder, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_a_list_of_presets_imports_nothing(tmp_path: Path) -> None:
    assert _imported("from conceptloom.metrics import PRESETS; list(PRESETS.items())", tmp_path) == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("preset", "needed"),
    [
        ("korean-commongen", set()),
        ("sound", {"sacrebleu"}),
        pytest.param("commongen", {"lemminflect", "spacy", "pydantic"}, marks=needs_captions),
    ],
)
def test_a_preset_imports_what_it_needs(preset: str, needed: set[str], tmp_path: Path) -> None:
    """Of the packages that take long. spaCy brings pydantic; so does typer from 0.29 on, which setup.py leaves out."""
    (tmp_path / "r.jsonl").write_text(SETS, "utf-8")
    # English words that differ are stemmed.
    (tmp_path / "p.txt").write_text("a dog 개와 공\n책이 방에\n", "utf-8")
    command = f"conceptloom evaluate --preset={preset} --references=r.jsonl --predictions=p.txt --output=out"
    run = f"import sys; from conceptloom.cli import run; sys.argv = {command.split()!r}; assert run() == 0"
    by_typer = {"pydantic"} if version("typer") >= "0.29" else set()
    assert _imported(run, tmp_path) <= needed | by_typer
