"""The permutation check, compared with scipy, and on the published files."""

import math
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from conceptloom.annotation import check_order, spearman
from conceptloom.examples import Example
from conceptloom.statistics.files import load_examples

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "en" / "commongen"
NUMBERS = st.integers(0, 5)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=7))
def test_spearman_against_scipy(pairs: list[tuple[int, int]]) -> None:
    left, right = [one for one, _ in pairs], [other for _, other in pairs]
    found = spearman(left, right)
    if found is None:
        assert len(set(left)) < 2 or len(set(right)) < 2
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert found == pytest.approx(spearmanr(left, right).statistic, abs=1e-12)


def test_what_is_compared() -> None:
    examples = [
        Example(("dog", "run", "park"), ("A dog runs in the park.", "In parks dogs run.", "A dog runs.")),
        Example(("leaf", "leave"), ("It leaves.",)),
        Example(("play", "cat", "play"), ("A cat plays.",)),
    ]
    found = check_order(examples)
    # Left out: the dog without a park. The leaf and its leaving are one word: no order, no correlation.
    assert (found.references, found.compared, found.changed, found.correlated) == (5, 4, 2, 3)
    assert found.mean == pytest.approx((1 + spearmanr([1, 2, 3], [2, 3, 1]).statistic - 1) / 3)
    assert found.changed_by_chance == pytest.approx(5 / 6 + 5 / 6 + 1 / 2 + 1 / 2)
    assert check_order([]).to_json()["mean_spearman"] is None


@pytest.mark.skipif(not DATA.exists(), reason="the real data is not in ../shared/data")
@pytest.mark.parametrize("name", ["commongen.dev.jsonl", "train_src.txt"])
@pytest.mark.slow
def test_people_do_not_keep_the_order_that_is_shown(name: str) -> None:
    """The paper's finding on test (mean -0.031, 96.97 % changed) is what chance gives; so are dev and train."""
    examples = load_examples(str(DATA / name))
    found = check_order(examples)
    assert found.compared >= 0.99 * found.references
    assert abs(found.mean) < 0.05
    by_chance = sum(1 - 1 / math.factorial(len(set(one.concepts))) for one in examples for _ in one.sentences)
    assert found.changed / found.compared == pytest.approx(by_chance / found.references, abs=0.025)
    assert found.changed_by_chance / found.compared == pytest.approx(by_chance / found.references, abs=0.001)
