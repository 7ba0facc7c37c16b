"""The preset `sound` against sacrebleu, rouge-score and definitions, on published outputs and edge cases."""

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu import sentence_bleu
from sacrebleu.metrics import BLEU, CHRF
from scipy.stats import spearmanr

from conceptloom.errors import ConfigError, InputError
from conceptloom.languages.korean.extract import concepts_of
from conceptloom.metrics import Blockwise, Item, Score, make_metrics
from conceptloom.metrics.measures.sound.concepts import order, share
from conceptloom.metrics.measures.sound.repetition import repeated

FOLDER = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "ko" / "outputs"
NAMES = {
    "BLEU", "chrF++", "ROUGE-2", "ROUGE-L", "Coverage", "Order/input", "Order/references", "Repetition-1",
    "Repetition-2", "Duplicates",
}  # fmt: skip
TEXTS = st.lists(st.sampled_from(["a", "man", "Dogs", "run", "ran", "!", "'s", "dog."]), max_size=7).map(" ".join)


def _scores(items: list[Item], **options: str) -> dict[str, Score]:
    return {score.name: score for metric in make_metrics("sound", options) for score in metric(items)}


@cache
def _korean(count: int = 400) -> list[Item]:
    if not FOLDER.exists():
        pytest.skip(f"{FOLDER} is not here")
    sets = [json.loads(line) for line in (FOLDER / "references.jsonl").read_text("utf-8").splitlines()]
    predictions = (FOLDER / "mT5_large_quantitative.txt").read_text("utf-8").splitlines()
    return [
        Item(one["concept-set"], tuple(one["concept-set"].split("#")), tuple(one["scene"]), prediction)
        for one, prediction in list(zip(sets, predictions, strict=True))[:count]
    ]


@cache
def _korean_scores() -> dict[str, Score]:
    return _scores(_korean())


def _streams(items: list[Item]) -> list[list[str]]:
    return [list(stream) for stream in zip(*(item.references for item in items), strict=True)]


@pytest.mark.slow
def test_bleu_and_chrf_are_sacrebleus() -> None:
    mecab = pytest.importorskip("mecab").MeCab()
    items, found = _korean(), _korean_scores()
    cut = [Item("", (), tuple(map(_joined(mecab), i.references)), _joined(mecab)(i.prediction)) for i in items]
    bleu = BLEU(tokenize="none", force=True).corpus_score([item.prediction for item in cut], _streams(cut))
    assert found["BLEU"].value == pytest.approx(bleu.score, rel=1e-12)
    each = [sentence_bleu(i.prediction, i.references, tokenize="none").score for i in cut]
    assert found["BLEU"].values == pytest.approx(np.array(each))
    chrf = CHRF(word_order=2).corpus_score([item.prediction for item in items], _streams(items))
    assert found["chrF++"].value == pytest.approx(chrf.score, rel=1e-12)


def _joined(mecab: object):  # type: ignore[no-untyped-def]
    return lambda text: " ".join(mecab.morphs(text))  # type: ignore[attr-defined]


def test_english_bleu_is_sacrebleus_default() -> None:
    items = [
        Item("a", ("dog",), ("A dog runs, fast.", "The dog ran."), "The dog runs fast."),
        Item("b", ("cat",), ('It\'s a cat & a "dog".',), "It is a cat (or a dog)."),
    ]
    bleu = BLEU().corpus_score(
        [item.prediction for item in items], [["A dog runs, fast.", 'It\'s a cat & a "dog".'], ["The dog ran.", None]]
    )
    found = _scores(items, language="en")
    assert found["BLEU"].value == pytest.approx(bleu.score, rel=1e-12)
    assert "|nrefs:var|" in found["BLEU"].signature and "|tok:13a|" in found["BLEU"].signature
    scorer = RougeScorer(["rouge2", "rougeL"], use_stemmer=True)
    best = [max(scorer.score(text, item.prediction)["rougeL"].fmeasure for text in item.references) for item in items]
    assert found["ROUGE-L"].value == pytest.approx(100 * np.mean(best))


@pytest.mark.slow
def test_coverage_is_by_the_builders_rule() -> None:
    items, found = _korean(), _korean_scores()
    shares = [
        len(set(item.concepts) & set(concepts)) / len(set(item.concepts))
        for item, concepts in zip(items, concepts_of([item.prediction for item in items]), strict=True)
    ]
    assert found["Coverage"].value == pytest.approx(100 * np.mean(shares))
    # The references were built by that rule; what they lack was rewritten by the makers of the test set.
    own = [Item(item.key, item.concepts, item.references, item.references[0]) for item in items]
    assert _scores(own)["Coverage"].value > 90


@pytest.mark.slow
def test_every_score_says_how_it_was_made() -> None:
    found = _korean_scores()
    assert set(found) == NAMES
    for name, score in found.items():
        assert score.signature.startswith(f"metric:{name}|nrefs:3|")
    assert "|tok:mecab-ko|" in found["BLEU"].signature and "|rule:published|" in found["Coverage"].signature


def test_rows_of_blocks_are_the_rows_of_all() -> None:
    items = _korean()[:50]
    for metric in make_metrics("sound"):
        assert isinstance(metric, Blockwise)
        rows = np.concatenate([metric.rows(items[:7]), metric.rows(items[7:])])
        for score, whole in zip(metric.scores(rows), metric(items), strict=True):
            assert (score.value, score.signature) == (whole.value, whole.signature)
            assert np.array_equal(score.values, whole.values, equal_nan=True)  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(st.permutations(list("abcdefg")), st.lists(st.sampled_from("abcdefgxy"), max_size=9))
def test_order_is_spearmans(first: list[str], second: list[str]) -> None:
    places = [(first.index(one), second.index(one)) for one in dict.fromkeys(second) if one in first]
    expected = spearmanr(*zip(*places, strict=True)).statistic if len(places) > 1 else math.nan
    assert order(first, second) == pytest.approx(expected, nan_ok=True)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from("abc"), max_size=9))
def test_repeated_counts_what_stood_before(things: list[str]) -> None:
    before = [thing in things[:at] for at, thing in enumerate(things)]
    assert repeated(things) == pytest.approx(np.mean(before) if things else math.nan, nan_ok=True)
    assert share(things, ["a"]) == pytest.approx(
        ("a" in things) / len(set(things)) if things else math.nan, nan_ok=True
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=5))
def test_any_text_has_scores_in_their_range(lines: list[tuple[str, list[str]]]) -> None:
    items = [Item(str(n), ("dog", "run"), tuple(texts), said) for n, (said, texts) in enumerate(lines)]
    for name, score in _scores(items, language="en").items():
        lowest = -100 if name.startswith("Order") else 0
        assert math.isnan(score.value) or lowest - 1e-9 <= score.value <= 100 + 1e-9
        assert score.values is not None and score.values.shape == (len(items),)


def test_a_copied_reference_is_best_and_duplicates_are_seen() -> None:
    items = [Item(str(n), ("dog", "run"), ("The dog runs to the man.",), "The dog runs to the man.") for n in range(2)]
    found = _scores(items, language="en")
    for name in ("BLEU", "chrF++", "ROUGE-2", "ROUGE-L", "Coverage", "Order/input", "Order/references", "Duplicates"):
        assert found[name].value == pytest.approx(100)
    assert found["Repetition-1"].value == pytest.approx(0)


def test_no_items_give_nan() -> None:
    found = _scores([], language="en")
    assert set(found) == NAMES
    assert all(math.isnan(score.value) for score in found.values())


def test_references_in_another_language() -> None:
    english, korean = Item("a", (), ("A dog.",), "A dog."), Item("a", (), ("개가 있다.",), "개가 있다.")
    with pytest.raises(InputError, match="language=en"):
        _scores([english])
    with pytest.raises(InputError, match="language=ko"):
        _scores([korean], language="en")


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"language": "fr"}, "no language is called 'fr'"),
        ({"rule": "mine"}, "'mine'"),
        ({"language": "en", "rule": "published"}, "English has one concept rule"),
        ({"bert": "model", "layers": "all"}, "layers is a number of layers, such as 9, not 'all'"),
        ({"bert": "model", "layers": "0"}, "not '0'"),
        ({"layers": "4"}, "give the option bert too"),
    ],
)
def test_wrong_options(options: dict[str, str], what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        make_metrics("sound", options)


def test_an_item_without_references() -> None:
    with pytest.raises(InputError, match="1 predictions have no reference, such as 'lonely'"):
        _scores([Item("lonely", (), (), "A dog.")], language="en")
