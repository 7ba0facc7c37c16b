"""Predictions beside other sets than their own, and answers to other questions: a word is said, scores stay."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.cli import run
from conceptloom.metrics.base import Item
from conceptloom.metrics.inputs.alignment import SHIFTS, Misplaced, misplaced
from conceptloom.metrics.inputs.answer_labels import wrong_labels
from conceptloom.metrics.inputs.pairing import pair
from conceptloom.metrics.inputs.references import read_references

SHARED = Path(__file__).resolve().parents[3].parent / "shared" / "data"
KOREAN = SHARED / "ko" / "outputs"
ENGLISH = SHARED / "en" / "commongen"
COMVE = SHARED / "en" / "comve" / "official_dev"
WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnrst"]


def _rows(number: int, seed: int) -> tuple[list[list[str]], list[str]]:
    """Sets of three words, and sentences that hold two of them."""
    draw = random.Random(seed)
    sets = [draw.sample(WORDS, 3) for _ in range(number)]
    return sets, [" ".join(draw.sample(one, 2)) for one in sets]


def _by_definition(sets: list[list[str]], texts: list[str], shift: int, first: int, stop: int) -> tuple[float, float]:
    """The shares of concepts here and there, counted one by one."""
    shares = []
    for by in (0, shift):
        known = [(sets[at + by], texts[at]) for at in range(first, stop) if 0 <= at + by < len(sets)]
        shares.append(sum(sum(word in text for word in words) / len(words) for words, text in known) / len(known))
    return shares[0], shares[1]


@settings(max_examples=30, deadline=None)
@given(st.integers(60, 120), st.integers(0, 10**6), st.sampled_from(SHIFTS))
def test_a_shifted_file_is_found(number: int, seed: int, shift: int) -> None:
    sets, texts = _rows(number, seed)
    moved = texts[shift:] + [""] * shift if shift > 0 else [""] * -shift + texts[:shift]
    found = misplaced(sets, moved)
    assert found is not None and found.shift == shift
    assert found.stop - found.first > number - 8
    assert (found.here, found.there) == pytest.approx(_by_definition(sets, moved, shift, found.first, found.stop))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 300), st.integers(0, 10**6))
def test_what_stands_right_or_fits_nowhere_is_not_reported(number: int, seed: int) -> None:
    sets, texts = _rows(number, seed)
    assert misplaced(sets, texts) is None
    random.Random(seed).shuffle(texts)
    assert misplaced(sets, texts) is None
    assert misplaced([[] for _ in sets], texts) is None


def test_a_stretch_is_named() -> None:
    sets, texts = _rows(400, 1)
    moved = [*texts[:100], *texts[101:301], "", *texts[301:]]
    found = misplaced(sets, moved)
    assert found is not None and found.shift == 1
    assert abs(found.first - 100) < 4 and abs(found.stop - 300) < 4


@pytest.mark.parametrize(
    ("references", "predictions"),
    [
        (KOREAN / "references.jsonl", KOREAN / "KoGPT2_quantitative.txt"),
        (KOREAN / "references.jsonl", KOREAN / "mT5_large_quantitative.txt"),
        (ENGLISH / "commongen.dev.jsonl", ENGLISH / "unilm_dev_outputs.txt"),
    ],
)
def test_published_outputs_are_found_where_they_stand_and_where_not(
    references: Path, predictions: Path, tmp_path: Path
) -> None:
    if not references.exists():
        pytest.skip(f"{references} is not here")
    against = read_references(str(references))
    assert [n.what for n in pair(against, str(predictions)).notes if n.is_warning] == []
    lines = predictions.read_text("utf-8").splitlines()
    (tmp_path / "moved.txt").write_text("\n".join([*lines[1:], "x", ""]), "utf-8")
    (note,) = [n for n in pair(against, str(tmp_path / "moved.txt")).notes if n.is_warning]
    assert "1 line further down" in str(note) and note.times > 0.99 * len(lines) - 5


def _said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    monkeypatch.setattr("sys.argv", ["conceptloom", "evaluate", *arguments, "--resamples=0"])
    assert run() == 0
    said = capsys.readouterr()
    return said.out, said.err


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_the_command_warns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], more: tuple[str, ...]
) -> None:
    sets, texts = _rows(60, 3)
    lines = [json.dumps({"concept-set": "#".join(words), "scene": [text]}) for words, text in zip(sets, texts)]
    (tmp_path / "r.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / "p.txt").write_text("\n".join([*texts[1:], texts[0]]) + "\n", "utf-8")
    files = (f"--references={tmp_path / 'r.jsonl'}", f"--predictions={tmp_path / 'p.txt'}")
    out, err = _said(monkeypatch, capsys, "--preset=sound", "--option=language=en", *files, *more)
    (line,) = err.splitlines()
    expected = "59 predictions fit other sets, 1 line further down (lines 1 to 59: "
    assert line.startswith(f"warning: {tmp_path / 'p.txt'}: {expected}")
    assert not more or json.loads(out)["systems"][0]["notes"][0]["what"] == "misplaced_predictions"


def _lower(text: str) -> str:
    return text.lower()


def _as_a(text: str) -> str:
    return text.replace("A", "0").replace("B", "1").replace("C", "1")


@pytest.mark.parametrize(
    ("task", "change", "words"),
    [
        ("B", _lower, "(A, B, C expected); no answer is valid: write capital letters"),
        ("B", _as_a, "(A, B, C expected); no answer is valid: they look like those of ComVE's subtask A"),
        ("A", lambda text: text.replace("0", "x").replace("1", "x"), "no answer is valid: name another file"),
    ],
)
def test_answers_to_other_questions_are_named(
    task: str,
    change: Callable[[str], str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    gold = COMVE / f"subtask{task}_gold_answers.csv"
    if not gold.exists():
        pytest.skip(f"{COMVE} is not here")
    rows = [line.split(",") for line in gold.read_text("utf-8").splitlines()]
    (tmp_path / "p.csv").write_text("".join(f"{key},{change(label)}\n" for key, label in rows), "utf-8")
    files = (f"--references={gold}", f"--predictions={tmp_path / 'p.csv'}")
    out, err = _said(monkeypatch, capsys, "--preset=comve", *files)
    assert err.startswith(f"warning: {tmp_path / 'p.csv'}: {len(rows)} answers are not among the labels")
    assert words in err
    assert "0.00" in out


def _items(*pairs: tuple[str, str]) -> list[Item]:
    return [Item(str(at), (), (gold,), given) for at, (gold, given) in enumerate(pairs)]


def test_what_counts_as_a_label() -> None:
    assert wrong_labels(_items(("1", "2"), ("2", " 1 "), ("2", ""))) is None
    one = wrong_labels(_items(("A", "B"), ("C", "D"), ("C", "")))
    assert one is not None and one.times == 1 and one.detail == "such as 'D' (A, B, C expected)"
    assert wrong_labels(_items(("Dogs do not fly.", "A dog cannot fly."), ("No.", "A"))) is None
    labels = wrong_labels(_items(("Dogs do not fly.", "A"), ("No.", "B")))
    assert labels is not None and labels.times == 2 and "ComVE's subtask B" in labels.detail
    assert wrong_labels([]) is None


def test_nothing_is_misplaced_in_nothing() -> None:
    assert misplaced([], []) is None
    assert misplaced([["a"]], ["a"]) is None
    assert isinstance(misplaced([[str(at)] for at in range(18)], [str(at + 1) for at in range(18)]), Misplaced | None)
