"""Intervals and tests of difference compared with scipy, sacrebleu and complete enumerations."""

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest
from scipy import stats

from conceptloom.errors import InputError
from conceptloom.metrics import Item, Score, make_metrics
from conceptloom.metrics.measures.sums import average, by_unit, ratio, summed, total_score
from conceptloom.metrics.resampling.draws import bootstrapped, permuted
from conceptloom.metrics.resampling.significance import compare, intervals, p_value

WORDS = ["a", "man", "dog", "the", "runs", "over", "field", "to", "catch", "ball"]


def _noisy(text: str, chance: float, source: random.Random) -> str:
    return " ".join(source.choice(WORDS) if source.random() < chance else word for word in text.split())


@pytest.fixture(scope="module")
def systems() -> list[list[Item]]:
    """Two systems whose difference is small enough that the tests must weigh it."""
    source = random.Random(5)
    texts = [" ".join(source.choice(WORDS) for _ in range(source.randint(5, 12))) for _ in range(120)]
    return [
        [Item(str(n), ("dog", "run"), (text, text[::-1]), _noisy(text, chance, source)) for n, text in enumerate(texts)]
        for chance in (0.27, 0.30)
    ]


@pytest.fixture(scope="module")
def scored(systems: list[list[Item]]) -> list[list[Score]]:
    metrics = make_metrics("sound", {"language": "en"})
    return [[score for metric in metrics for score in metric(items)] for items in systems]


def _named(scores: list[Score], name: str) -> Score:
    return next(score for score in scores if score.name == name)


@pytest.mark.parametrize("name", ["BLEU", "chrF++"])
@pytest.mark.slow
def test_differences_are_sacrebleus(systems: list[list[Item]], scored: list[list[Score]], name: str) -> None:
    metric = BLEU() if name == "BLEU" else CHRF(word_order=2)
    references = [list(stream) for stream in zip(*(item.references for item in systems[0]), strict=True)]
    named = [(f"system {n}", [item.prediction for item in items]) for n, items in enumerate(systems)]
    theirs = {}
    for kind in ("ar", "bs"):
        _, table = PairedTest(named, {name: metric}, references, kind, n_samples=3000)()
        first, second = next(results for key, results in table.items() if key != "System")
        theirs[kind] = second.p_value
        difference = first.score - second.score
    ours = next(one for one in compare(*scored, resamples=3000) if one.name == name)
    assert ours.difference == pytest.approx(difference, abs=1e-9)
    assert 0.02 < ours.permutation_p < 0.98
    assert ours.permutation_p == pytest.approx(theirs["ar"], abs=0.03)
    # sacrebleu centres the absolute differences, which makes its test one-sided; ours is two-sided.
    sizes = np.abs(np.subtract(*(bootstrapped([summed(_named(scores, name))], 1, 3000)[0] for scores in scored)))
    assert p_value(np.maximum(sizes - sizes.mean(), 0), difference) == pytest.approx(theirs["bs"], abs=0.02)
    assert theirs["bs"] < ours.bootstrap_p < 2 * theirs["bs"] + 0.1


def test_an_interval_of_a_mean_is_scipys() -> None:
    values = np.random.default_rng(2).gamma(2, size=80)
    theirs = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=6000, rng=np.random.default_rng(1)
    ).confidence_interval
    ours = intervals([average("m", values, "")], resamples=6000)["m"]
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_the_drawn_means_are_those_of_all_resamples() -> None:
    values = np.array([0.0, 1.0, 5.0])
    every = [np.mean(one) for one in itertools.product(values, repeat=3)]
    (drawn,) = bootstrapped([average("m", values, "")], seed=3, resamples=20_000)
    for bound in np.unique(np.round(every, 6)):
        share = np.mean(np.array(every) <= bound + 1e-6)
        assert np.mean(drawn <= bound + 1e-6) == pytest.approx(share, abs=0.015)


@pytest.mark.slow
def test_a_permutation_p_value_is_scipys() -> None:
    source = np.random.default_rng(3)
    first = source.normal(0.5, 1, 12)
    second = source.normal(0, 1, 12)
    exact = stats.permutation_test(
        (first, second), lambda x, y: np.mean(x) - np.mean(y), permutation_type="samples", n_resamples=np.inf
    )
    ours = compare([average("m", first, "")], [average("m", second, "")], resamples=20_000)[0]
    assert 0.01 < exact.pvalue < 0.9
    assert ours.permutation_p == pytest.approx(exact.pvalue, abs=0.012)


def test_every_swap_is_drawn() -> None:
    first, second = average("m", np.array([4.0, 8.0]), ""), average("m", np.array([1.0, 1.0]), "")
    (drawn,) = permuted([(first, second)], seed=1, resamples=4000)
    found, counts = np.unique(drawn, return_counts=True)
    assert found.tolist() == [-5.0, -2.0, 2.0, 5.0]
    assert counts == pytest.approx([1000] * 4, rel=0.1)


def test_a_system_does_not_differ_from_itself(scored: list[list[Score]]) -> None:
    for one in compare(scored[0], scored[0], resamples=100):
        assert (one.difference, one.bootstrap_p, one.permutation_p) == (0, 1, 1)
        assert one.interval == (0, 0)


def test_a_seed_is_a_result_and_another_seed_another(scored: list[list[Score]]) -> None:
    first, again, other = (intervals(scored[0], seed=seed, resamples=50) for seed in (1, 1, 2))
    assert first == again
    assert first["BLEU"] != other["BLEU"]


def test_scores_of_one_size_share_their_draws_and_others_do_not_matter() -> None:
    values = np.random.default_rng(0).normal(size=(3, 20))
    scores = [average("a", values[0], ""), average("b", values[1][:7], ""), average("c", values[2], "")]
    together = bootstrapped(scores, 5, 30)
    for score, drawn in zip(scores, together, strict=True):
        assert drawn == pytest.approx(bootstrapped([score], 5, 30)[0])
    shifted = bootstrapped([average("a", values[0] + 1, "")], 5, 30)[0]
    assert shifted - together[0] == pytest.approx(np.ones(30))


def test_swapping_the_systems_turns_the_difference(scored: list[list[Score]]) -> None:
    there, back = compare(*scored, resamples=200), compare(*scored[::-1], resamples=200)
    for one, other in zip(there, back, strict=True):
        assert one.difference == -other.difference
        assert one.interval == pytest.approx((-other.interval.high, -other.interval.low))
        assert (one.bootstrap_p, one.permutation_p) == pytest.approx((other.bootstrap_p, other.permutation_p))


def test_lines_of_one_set_are_drawn_together() -> None:
    # Ten equal lines of each of two sets are two observations, not twenty.
    values = np.repeat([0.0, 1.0], 10)
    units = [number for number in range(2) for _ in range(10)]
    (drawn,) = bootstrapped([average("m", values, "", units)], seed=1, resamples=500)
    assert set(drawn) == {0.0, 0.5, 1.0}


def test_systems_of_other_lines_are_refused() -> None:
    scores = [[average("m", np.ones(size), "")] for size in (3, 4)]
    with pytest.raises(InputError, match="m: one system has 3 scored units, the other 4"):
        compare(*scores)


def test_what_cannot_be_resampled_has_no_interval_and_no_comparison() -> None:
    corpus_only = [Score("C", 3.0, None, ""), Score("M", 3.0, np.array([1.0, 2.0]), "")]
    assert intervals(corpus_only) == {"C": None, "M": None}
    assert compare(corpus_only, corpus_only) == []
    assert summed(Score("M", 1.5, np.array([1.0, 2.0]), "")) is not None


def test_nothing_gives_nan() -> None:
    interval = intervals([average("m", np.array([]), "")])["m"]
    assert interval is not None and math.isnan(interval.low) and math.isnan(interval.high)
    assert math.isnan(p_value(np.array([]), 0.0))


@settings(max_examples=80, deadline=None)
@given(
    rows=st.lists(st.tuples(st.floats(-9, 9) | st.just(math.nan), st.integers(0, 3)), min_size=1, max_size=12),
)
def test_an_average_is_the_mean_of_what_is_known(rows: list[tuple[float, int]]) -> None:
    values = np.array([value for value, _ in rows])
    known = values[~np.isnan(values)]
    score = average("m", values, "", [unit for _, unit in rows])
    assert score.value == pytest.approx(known.mean() if len(known) else math.nan, nan_ok=True, abs=1e-9)
    assert by_unit(np.ones((len(rows), 1)), [unit for _, unit in rows]).sum() == len(rows)
    total = total_score("m", score.sums, ratio, None, "")
    assert total.value == pytest.approx(score.value, nan_ok=True)
