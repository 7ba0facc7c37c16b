"""The preset `commongen`: the published table from UniLM's outputs, each rule compared with a second implementation."""

import math
import re
import shutil
from collections import Counter
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from unittest import mock

import numpy as np
import pytest
from english_outputs import unilm_dev
from hypothesis import given, settings
from hypothesis import strategies as st
from needed import WANTS, needs_captions

from conceptloom.metrics import Item, Score, make_metrics
from conceptloom.metrics.measures.commongen import captions
from conceptloom.metrics.measures.commongen.captions import tokenized
from conceptloom.metrics.measures.commongen.coverage import coverage
from conceptloom.metrics.measures.commongen.rouge import StemmedWords, rouge
from conceptloom.metrics.resampling.significance import intervals

REPRODUCED = {"ROUGE-2": 21.69, "ROUGE-L": 45.67, "BLEU-3": 40.44, "BLEU-4": 30.39, "CIDEr": 15.72}
WORDS = st.sampled_from(
    ["the", "dog", "dogs", "ran", "runs", "children", "child", "geese", "a", "3", "catch's", "well-fed", ".", "Running"]
)
TEXTS = st.lists(WORDS, max_size=8).map(" ".join)


@pytest.fixture(scope="module")
def table() -> dict[str, Score]:
    for package in ("spacy", "pycocoevalcap"):
        pytest.importorskip(package, reason=WANTS)
    items = unilm_dev()
    return {score.name: score for metric in make_metrics("commongen") for score in metric(items)}


@pytest.mark.parametrize("name", REPRODUCED)
@pytest.mark.slow
def test_the_published_table(table: dict[str, Score], name: str) -> None:
    assert table[name].value == pytest.approx(REPRODUCED[name], abs=0.0051)


@pytest.mark.slow
def test_meteor_of_the_published_table(table: dict[str, Score]) -> None:
    if shutil.which("java") is None:
        pytest.skip("METEOR's program needs Java: apt install default-jre-headless")
    assert table["METEOR"].value == pytest.approx(30.98, abs=0.0051)
    # Its value is computed from counts of the whole corpus, which are not known, so it has no interval.
    assert intervals([table["METEOR"]])["METEOR"] is None


@pytest.mark.slow
def test_coverage_of_the_published_table(table: dict[str, Score]) -> None:
    assert table["Coverage"].value == pytest.approx(92.91, abs=0.1)


@pytest.mark.slow
def test_every_score_says_how_it_was_made(table: dict[str, Score]) -> None:
    assert all(score.signature.startswith(f"metric:{name}|") for name, score in table.items())
    assert f"pycocoevalcap:{version('pycocoevalcap')}" in table["CIDEr"].signature


@pytest.mark.slow
def test_spice_without_its_jars_is_missing_and_downloads_nothing(table: dict[str, Score]) -> None:
    if not captions.spice_missing():
        pytest.skip("SPICE's jars are here")
    assert math.isnan(table["SPICE"].value)
    assert "missing:" in table["SPICE"].signature and "stanford-corenlp-3.6.0-models.jar" in table["SPICE"].signature


@pytest.mark.slow
def test_intervals_hold_the_scores(table: dict[str, Score]) -> None:
    for name, interval in intervals(list(table.values()), resamples=200).items():
        if interval is not None:
            assert interval.low < table[name].value < interval.high
            assert interval.high - interval.low < 0.15 * table[name].value


@pytest.mark.slow
def test_bleu_of_sums_is_the_librarys(table: dict[str, Score]) -> None:
    from pycocoevalcap.bleu.bleu import Bleu

    sets: dict[str, tuple[str, list[str]]] = {}
    for item in unilm_dev():
        sets.setdefault(item.key, (tokenized(item.prediction), []))[1].extend(map(tokenized, item.references))
    value, _ = Bleu(4).compute_score(
        {key: texts for key, (_, texts) in sets.items()}, {key: [text] for key, (text, _) in sets.items()}, verbose=0
    )
    assert [table["BLEU-3"].value, table["BLEU-4"].value] == pytest.approx([100 * value[2], 100 * value[3]], rel=1e-12)


@needs_captions
def test_a_line_for_each_reference_or_one_for_each_set_is_the_same() -> None:
    lines = unilm_dev()[:60]
    sets: dict[str, list[Item]] = {}
    for item in lines:
        sets.setdefault(item.key, []).append(item)
    grouped = [
        Item(key, some[0].concepts, tuple(one.references[0] for one in some), some[0].prediction)
        for key, some in sets.items()
    ]
    numbered = [Item(str(n), one.concepts, one.references, one.prediction) for n, one in enumerate(lines)]
    with mock.patch("shutil.which", return_value=None):  # METEOR is slow and takes the same path as the others
        results = [
            {score.name: score.value for metric in make_metrics("commongen") for score in metric(items)}
            for items in (lines, grouped, numbered)
        ]
    assert results[0] == pytest.approx(results[1], nan_ok=True)
    assert results[0] == pytest.approx(results[2], nan_ok=True)


@needs_captions
def test_without_java_meteor_is_missing() -> None:
    with mock.patch("shutil.which", return_value=None):
        found = {score.name: score for score in captions.captions([Item("a", ("dog",), ("A dog .",), "A dog")])}
    assert math.isnan(found["METEOR"].value)
    assert found["METEOR"].signature == "metric:METEOR|missing:java"


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("geese", "goose"),  # noun.exc
        ("began", "begin"),  # verb.exc
        ("ran", "ran"),  # in verb.exc, but three letters
        ("skiing", "ski"),  # verb.exc; Porter leaves "ski" as well
        ("standing", "stand"),  # no exception: Porter
        ("happy", "happi"),  # Porter as published, not nltk's own
        ("dying", "die"),
    ],
)
def test_a_word_is_stemmed_as_rouge_does(word: str, base: str) -> None:
    assert StemmedWords().tokenize(word.upper()) == [base]


def _common(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    @cache
    def length(i: int, j: int) -> int:
        if i == len(first) or j == len(second):
            return 0
        if first[i] == second[j]:
            return 1 + length(i + 1, j + 1)
        return max(length(i + 1, j), length(i, j + 1))

    return length(0, 0)


@settings(max_examples=60, deadline=None)
@given(prediction=TEXTS, references=st.lists(TEXTS, min_size=1, max_size=3))
def test_rouge_is_its_definition(prediction: str, references: list[str]) -> None:
    def words(text: str) -> tuple[str, ...]:
        bases = {"children": "child", "running": "run", "geese": "goos", "catch": "catch", "runs": "run", "dogs": "dog"}
        bases |= {"geese": "goose"}
        split = re.sub("[^a-z0-9]", " ", text.lower()).split()
        return tuple(bases.get(word, word) if len(word) > 3 else word for word in split)

    def f(hits: float, predicted: int, there: int) -> float:
        return 200 * hits / (predicted + there) if hits else 0.0

    two, longest = [], []
    a = words(prediction)
    for b in map(words, references):
        first, second = Counter(pairwise(a)), Counter(pairwise(b))
        two.append(f((first & second).total(), first.total(), second.total()))
        longest.append(f(_common(a, b), len(a), len(b)))
    scores = rouge([Item("k", ("dog",), tuple(references), prediction)])
    assert [score.value for score in scores] == pytest.approx([np.mean(two), np.mean(longest)])


def test_coverage_counts_lines_and_leaves_out_what_has_no_concepts() -> None:
    items = [
        Item("a", ("dog", "run"), ("x", "y", "z"), "Dogs!"),
        Item("b", ("leaf",), ("x",), "He leaves."),
        Item("c", (), ("x",), "Dogs!"),
    ]
    (score,) = coverage(items)
    assert score.value == pytest.approx(100 * (3 * 0.5 + 1) / 4)
    assert score.values is not None and score.values[:2] == pytest.approx([50, 100]) and np.isnan(score.values[2])


@needs_captions
def test_empty_predictions_and_lines_inside_texts_are_scored() -> None:
    items = [Item("a", ("dog",), ("A dog .",), ""), Item("b", ("cat",), ("A cat\nsits .",), "A cat\r\nsits .")]
    with mock.patch("shutil.which", return_value=None):
        found = {score.name: score for metric in make_metrics("commongen") for score in metric(items)}
    assert found["ROUGE-2"].value == 50
    assert found["Coverage"].value == 50
    assert "\n" not in tokenized(items[1].prediction)


@needs_captions
def test_no_items_give_no_scores() -> None:
    scores = [score for metric in make_metrics("commongen") for score in metric([])]
    assert scores and all(math.isnan(score.value) for score in scores)
