"""People as a system: the scores of files written round by round, and sacrebleu's."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from needed import needs_captions
from sacrebleu.metrics import BLEU

from conceptloom.errors import ConfigError, InputError
from conceptloom.metrics.certainty import Resampling, comparisons, with_intervals
from conceptloom.metrics.evaluation import evaluate
from conceptloom.metrics.inputs.item_tables import items_of
from conceptloom.metrics.inputs.references import SCHEMA, References, read_references
from conceptloom.metrics.measures.commongen import captions
from conceptloom.metrics.page.writing import write_pages
from conceptloom.metrics.people import BETWEEN, ROUNDS, people_items
from conceptloom.metrics.resampling.significance import intervals

WORDS = ["dog", "cat", "runs", "jumps", "over", "the", "red", "ball", "in", "a", "park"]
TEXT = st.lists(st.sampled_from(WORDS), min_size=2, max_size=6).map(" ".join)
SETS = st.lists(st.lists(TEXT, min_size=1, max_size=ROUNDS + 2), min_size=1, max_size=6)
THREE = [
    ["a dog runs over the red ball", "the dog runs in a park", "a dog jumps over the cat in a park"],
    ["the cat runs in the park", "a cat jumps in the red park", "the cat jumps over a ball"],
    ["the red ball runs", "a dog jumps over the red ball in the park", "the red ball runs over a dog"],
]


def written(path: Path, sets: Sequence[Sequence[str]]) -> str:
    lines = [{"concept-set": f"dog#w{at}", "scene": list(texts)} for at, texts in enumerate(sets)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return str(path)


@given(sets=SETS)
def test_every_sentence_is_compared_with_the_others(
    sets: list[list[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    references = read_references(written(tmp_path_factory.getbasetemp() / "references.jsonl", sets))
    several = [texts for texts in sets if len(texts) > 1]
    if not several:
        with pytest.raises(InputError, match="no set has two references"):
            people_items(references)
        return
    made, shown = people_items(references)
    rounds = list(made)
    said = [Counter[str]() for _ in several]
    for items in map(items_of, rounds):
        for texts, item, count in zip(several, items, said, strict=True):
            assert sorted([item.prediction, *item.references]) == sorted(texts)
            count[item.prediction] += 1
    assert len(rounds) == min(ROUNDS, max(map(len, several)))
    for texts, count in zip(several, said, strict=True):
        assert set(texts[:ROUNDS]) <= set(count)
    assert [item.prediction for item in items_of(shown.items)] == [BETWEEN.join(texts) for texts in several]
    left = len(sets) - len(several)
    assert [(note.what, note.times) for note in shown.notes] == ([("single_references", left)] if left else [])


@pytest.mark.parametrize("preset", [pytest.param("commongen", marks=needs_captions), "sound"])
def test_scores_are_the_mean_over_rounds(preset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each round is written to files and evaluated like any system, without METEOR, which starts slowly."""
    monkeypatch.setattr(captions.shutil, "which", lambda name: None)
    options = {"language": "en"} if preset == "sound" else {}
    path = written(tmp_path / "references.jsonl", THREE)
    found = evaluate(preset, options, path, "test", [], people=True)
    rounds = []
    for number in range(3):
        rest = written(tmp_path / "rest.jsonl", [texts[:number] + texts[number + 1 :] for texts in THREE])
        (tmp_path / "said.txt").write_text("".join(f"{texts[number]}\n" for texts in THREE), "utf-8")
        rounds.append(evaluate(preset, options, rest, "test", [str(tmp_path / "said.txt")]).systems[0].scores)
    (people,) = found.systems
    for score, *each in zip(people.scores, *rounds, strict=True):
        assert score.value == pytest.approx(np.mean([one.value for one in each]), nan_ok=True)
        assert "|people:leave-one-out|rounds:3|" in score.signature
    assert people.is_people and people.name == "people" and len(people.items) == 3


def test_corpus_bleu_and_its_interval(tmp_path: Path) -> None:
    """sacrebleu's corpus BLEU of each round; a resample draws sets, the same ones in all rounds."""
    path = written(tmp_path / "references.jsonl", THREE)
    (people,) = evaluate("sound", {"language": "en"}, path, "test", [], people=True).systems
    bleu = next(score for score in people.scores if score.name == "BLEU")
    assert bleu.value == pytest.approx(_bleu([0, 1, 2]))
    ends = intervals([bleu], resamples=400)["BLEU"]
    drawn = np.random.default_rng(5).integers(0, 3, (2000, 3))
    wanted = np.quantile([_bleu(rows) for rows in map(list, drawn[:400])], [0.025, 0.975])
    assert ends is not None and (ends.low, ends.high) == pytest.approx(tuple(wanted), abs=1.0)


def _bleu(rows: list[int]) -> float:
    scorer = BLEU(tokenize="13a")
    values = []
    for number in range(3):
        said = [THREE[row][number] for row in rows]
        others = [[THREE[row][(number + more) % 3] for row in rows] for more in (1, 2)]
        values.append(scorer.corpus_score(said, others).score)
    return float(np.mean(values))


def test_beside_systems_they_are_shown_and_not_compared(tmp_path: Path) -> None:
    path = written(tmp_path / "references.jsonl", [*THREE, ["alone in a park"]])
    (tmp_path / "mine.txt").write_text("a dog\nthe cat\na red ball\na park\n", "utf-8")
    mine = str(tmp_path / "mine.txt")
    how = Resampling(50, 1)
    found = with_intervals(evaluate("sound", {"language": "en"}, path, "test", [mine], people=True), how)
    assert [len(system.items) for system in found.systems] == [4, 3]
    alone = evaluate("sound", {"language": "en"}, path, "test", [mine]).systems[0].scores
    assert [score.value for score in found.systems[0].scores] == pytest.approx(
        [score.value for score in alone], nan_ok=True
    )
    assert comparisons(found, how) == []
    names = [Path(name).name for name in write_pages(found, [], str(tmp_path))]
    assert names == ["evaluation.html"]
    assert "people: 3 predictions" in (tmp_path / names[0]).read_text("utf-8")
    assert [note.what for note in found.systems[1].notes] == ["single_references"]
    two = evaluate("sound", {"language": "en"}, path, "test", [mine, mine], people=True)
    assert [one.difference for one in comparisons(two, how) if one.name == "chrF++"] == [0.0]


def test_sets_without_sentences_are_noted_like_sets_with_one() -> None:
    """A build may contain dev and test sets whose references have not been written yet."""
    texts = [["a dog", "the dog"], ["a cat"], []]
    rows = [{"key": str(at), "concepts": ["dog"], "references": each, "source": ""} for at, each in enumerate(texts)]
    rounds, shown = people_items(References("build", pa.Table.from_pylist(rows, SCHEMA)))
    assert [[item.key for item in items_of(items)] for items in rounds] == [["0"], ["0"]]
    (note,) = shown.notes
    assert str(note).startswith("build: 2 sets have fewer than two sentences")


def test_a_file_called_people_is_not_confused_with_people(tmp_path: Path) -> None:
    path = written(tmp_path / "references.jsonl", THREE)
    (tmp_path / "people.txt").write_text("a dog\nthe cat\na red ball\n", "utf-8")
    mine = str(tmp_path / "people.txt")
    found = evaluate("sound", {"language": "en"}, path, "test", [mine], people=True)
    assert [(system.name, system.is_people) for system in found.systems] == [(mine, False), ("people", True)]
    (alone,) = evaluate("sound", {"language": "en"}, path, "test", [mine]).systems
    assert alone.name == "people"


def test_presets_with_files_of_their_own_have_no_people(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="omit --people"):
        evaluate("story-cloze", {}, str(tmp_path), "test", [], people=True)
