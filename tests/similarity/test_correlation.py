"""Scorers against human judgement, and the table's coverage, on real data."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "ko"
sys.path.insert(0, str(ROOT / "benchmarks"))

from similarity import FILES, correlation, read_pairs, spearman  # noqa: E402

from conceptloom.languages.korean.taggers.mecab import MecabTagger  # noqa: E402
from conceptloom.similarity import load_table  # noqa: E402

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"the real data is not at {DATA}")
THRESHOLDS = {"static-ko": (75, 68, 50), "tfidf": (72, 65, 43)}


@needs_data
@pytest.mark.parametrize("scorer", THRESHOLDS)
@pytest.mark.slow
def test_correlation_with_human_judgement(scorer):
    found = [correlation(scorer, read_pairs(DATA / "similarity" / file)) for file in FILES.values()]
    assert all(value >= least for value, least in zip(found, THRESHOLDS[scorer], strict=True)), found


@pytest.mark.slow
@needs_data
def test_the_table_covers_93_percent_of_the_published_content_morphemes():
    lines = (DATA / "published" / "captions.jsonl").read_text(encoding="utf-8").splitlines()
    tagged = MecabTagger().tokens([json.loads(line)["scene"] for line in lines])
    morphemes = [m for tokens in tagged for token in tokens for m in token.morphemes]
    assert sum(m in load_table().keys for m in morphemes) / len(morphemes) > 0.93


def test_spearman_equals_scipy():
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    left, right = [0.1, 0.5, 0.5, 0.9, 0.2], [1.0, 2.0, 0.0, 2.0, 2.0]
    assert spearman(left, right) == pytest.approx(stats.spearmanr(left, right).statistic)
