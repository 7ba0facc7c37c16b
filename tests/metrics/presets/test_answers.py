"""The presets `comve` and `story-cloze`: accuracy, and the task's own BLEU against nltk's parts and a slow oracle."""

import csv
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import modified_precision

from conceptloom.errors import InputError
from conceptloom.metrics import Item, Score, make_metrics
from conceptloom.metrics.inputs.answers import answer_items, read_answers
from conceptloom.metrics.measures.comve_bleu import comve_bleu
from conceptloom.metrics.resampling.significance import compare, intervals

FOLDER = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "en"
COMVE = FOLDER / "comve" / "official_dev"
CLOZE = FOLDER / "stories" / "cloze_val.csv"
WORDS = st.lists(st.sampled_from(["a", "b", "c", "d.", "A"]), max_size=9)


def _scores(preset: str, items: list[Item]) -> dict[str, Score]:
    return {score.name: score for metric in make_metrics(preset) for score in metric(items)}


def _write(path: Path, *lines: str) -> str:
    path.write_text("\n".join(lines), "utf-8")
    return str(path)


def _by_definition(lines: list[tuple[list[str], list[list[str]]]]) -> float:
    """From the formula, with nltk's clipped counts as exact fractions (which it gives a denominator of at least 1)."""
    logs = []
    for size in range(1, 5):
        parts = [modified_precision(references, said, size) for said, references in lines]
        hits = sum(part.numerator for part in parts)
        grams = sum(max(len(said) - size + 1, 0) for said, _ in lines)
        if not hits:
            return 0.0
        logs.append(math.log(Fraction(hits, grams)))
    length, shortest = sum(len(said) for said, _ in lines), sum(min(map(len, refs)) for _, refs in lines)
    return 100 * math.exp(sum(logs) / 4) * min(1.0, math.exp(1 - shortest / length))


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1, max_size=3)), min_size=1, max_size=6))
def test_the_tasks_bleu_is_its_definition(lines: list[tuple[list[str], list[list[str]]]]) -> None:
    items = [Item(str(n), (), tuple(map(" ".join, refs)), " ".join(said)) for n, (said, refs) in enumerate(lines)]
    score = comve_bleu(items)
    assert score.value == pytest.approx(_by_definition(lines))
    assert score.values == pytest.approx([_by_definition([line]) for line in lines])


def test_the_shortest_reference_sets_the_length() -> None:
    item = Item("1", (), ("a b c d", "a b c d e f g h"), "a b c d e")
    assert comve_bleu([item]).value == pytest.approx(100)


@pytest.mark.slow
def test_copying_the_statement_scores_as_well_as_published(tmp_path: Path) -> None:
    if not COMVE.exists():
        pytest.skip(f"{COMVE} is not here")
    with (COMVE / "subtaskC_dev_data.csv").open(encoding="utf-8") as stream:
        statements = list(csv.reader(stream))[1:]
    predictions = tmp_path / "copied.csv"
    with predictions.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(statements[::-1])
    items = answer_items(str(COMVE / "subtaskC_gold_answers.csv"), str(predictions))
    assert len(items) == 997
    found = _scores("comve", items)
    # The task's paper reports 17.23 for copying on its test set.
    assert found["BLEU C"].value == pytest.approx(17.23, abs=1.5)
    assert found["BLEU C"].value == pytest.approx(
        _by_definition([(item.prediction.split(), [text.split() for text in item.references]) for item in items])
    )
    interval = intervals(list(found.values()))["BLEU C"]
    assert interval is not None and interval.low < found["BLEU C"].value < interval.high


@pytest.mark.parametrize(("task", "constant", "share"), [("A", "0", 518 / 997), ("B", "B", None)])
def test_a_constant_answer_has_the_share_of_its_label(
    tmp_path: Path, task: str, constant: str, share: float | None
) -> None:
    gold = COMVE / f"subtask{task}_gold_answers.csv"
    if not gold.exists():
        pytest.skip(f"{COMVE} is not here")
    rows = [line.split(",") for line in gold.read_text("utf-8").splitlines()]
    predictions = _write(tmp_path / "p.csv", *(f"{key},{constant}" for key, _ in rows))
    found = _scores("comve", answer_items(str(gold), predictions))
    expected = sum(label == constant for _, label in rows) / len(rows) if share is None else share
    assert found[f"Accuracy {task}"].value == pytest.approx(100 * expected)


def test_the_story_cloze_file_is_its_own_key(tmp_path: Path) -> None:
    if not CLOZE.exists():
        pytest.skip(f"{CLOZE} is not here")
    gold = read_answers(str(CLOZE))
    assert len(gold) == 1871
    predictions = _write(tmp_path / "p.csv", "id,prediction", *(f"{key},1" for key in gold))
    found = _scores("story-cloze", answer_items(str(CLOZE), predictions))
    ones = sum(answer.texts == ("1",) for answer in gold.values())
    assert found["Accuracy"].value == pytest.approx(100 * ones / 1871)


def test_accuracy_by_type_of_story(tmp_path: Path) -> None:
    gold = _write(tmp_path / "g.csv", "ID,type,label", "a,자유 창작,1", "b,자유 창작,2", "c,그림,1", "d,그림,1")
    items = answer_items(gold, _write(tmp_path / "p.csv", "d,2", "c,1", "b,2", "a,2"))
    found = _scores("story-cloze", items)
    assert {name: score.value for name, score in found.items()} == {
        "Accuracy": 50,
        "Accuracy 그림": 50,
        "Accuracy 자유 창작": 50,
    }
    assert found["Accuracy 그림"].values is not None
    assert np.isnan(found["Accuracy 그림"].values).tolist() == [True, True, False, False]
    better = _scores("story-cloze", [Item(i.key, (), i.references, i.references[0], i.source) for i in items])
    differences = {one.name: one.difference for one in compare(list(better.values()), list(found.values()))}
    assert differences == {"Accuracy": 50, "Accuracy 그림": 50, "Accuracy 자유 창작": 50}


@pytest.mark.parametrize(
    ("gold", "given_lines", "what"),
    [
        (["1,A", "2,B"], ["1,A"], "p.csv has no answer for 1 ids of .*g.csv, such as '2'"),
        (["1,A"], ["1,A", "9,B"], "p.csv answers 1 ids that are not in .*g.csv, such as '9'"),
        (["1,A"], ["1,A", "1,B"], "p.csv: line 2: the id '1' occurs twice"),
        (["1,A"], ["1"], "p.csv: line 1 has 1 columns"),
        (["1,A"], [",A"], "p.csv: line 1: the id '' is empty"),
        (["1,A"], [""], "p.csv: there are no answers"),
        (["1,"], ["1,A"], "g.csv: 1 ids have no answer, such as '1'"),
        (["id,label", "1,A"], ["id,prediction", "1"], "p.csv: line 2 has 1 columns"),
        (["1,A"], ['1,"A'], "p.csv: line 1 is not CSV"),
        (["1,A cat, too."], ["1,A cat, too."], "p.csv: 1 ids have more than one answer, such as '1'; put"),
    ],
)
def test_files_that_do_not_pair(tmp_path: Path, gold: list[str], given_lines: list[str], what: str) -> None:
    with pytest.raises(InputError, match=what):
        answer_items(_write(tmp_path / "g.csv", *gold), _write(tmp_path / "p.csv", *given_lines))


def test_an_empty_answer_is_wrong(tmp_path: Path) -> None:
    items = answer_items(_write(tmp_path / "g.csv", "1,A", "2,B"), _write(tmp_path / "p.csv", "1,", "2,B"))
    assert _scores("comve", items)["Accuracy B"].value == 50


def test_a_file_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_bytes("1,한국".encode("cp949"))
    with pytest.raises(InputError, match="is not UTF-8"):
        read_answers(str(tmp_path / "g.csv"))
