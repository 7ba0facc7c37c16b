"""A preset imports what it uses: the packages of the others, which take seconds, are left alone."""

import subprocess
import sys
from pathlib import Path

import pytest

SLOW = ("lemminflect", "nltk", "pandas", "rouge_score", "sacrebleu", "scipy", "spacy", "torch", "apache_beam")
SETS = '{"concept-set": "개#공", "scene": ["the dogs 개"]}\n{"concept-set": "방#책", "scene": ["방"]}\n'


def _imported(code: str, folder: Path) -> set[str]:
    """Which of SLOW a fresh process has after this code."""
    shown = f"{code}\nimport sys; print(*[name for name in {SLOW!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", shown], cwd=folder, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_a_list_of_presets_imports_nothing(tmp_path: Path) -> None:
    assert _imported("from conceptloom.metrics import PRESETS; list(PRESETS.items())", tmp_path) == set()


@pytest.mark.slow
def test_the_korean_preset_imports_neither_nltk_nor_spacy(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text(SETS, "utf-8")
    # English words that differ are stemmed.
    (tmp_path / "p.txt").write_text("a dog 개와 공\n책이 방에\n", "utf-8")
    command = "conceptloom evaluate --preset=korean-commongen --references=r.jsonl --predictions=p.txt --output=out"
    run = f"import sys; from conceptloom.cli import run; sys.argv = {command.split()!r}; assert run() == 0"
    assert _imported(run, tmp_path) == set()
