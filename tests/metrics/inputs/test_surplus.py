"""Files of predictions that are a line or two short: the sets without a line are named and left out."""

import random
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.errors import InputError
from conceptloom.examples import Example
from conceptloom.metrics.inputs.alignment import without_prediction
from conceptloom.metrics.inputs.pairing import pair, pair_predictions
from conceptloom.metrics.inputs.predictions import given_predictions
from conceptloom.metrics.inputs.references import given_references

WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnrst"]


def _sets(number: int, seed: int) -> list[tuple[str, ...]]:
    draw = random.Random(seed)
    return [tuple(draw.sample(WORDS, 3)) for _ in range(number)]


def _held(sets: list[tuple[str, ...]], texts: list[str], left: tuple[int, ...]) -> float:
    """The concepts that texts hold of the sets that are not left out, one by one."""
    kept = [one for at, one in enumerate(sets) if at not in left]
    return sum(sum(word in text for word in one) / len(one) for one, text in zip(kept, texts, strict=True))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 3), st.integers(1, 7), st.integers(0, 10**6), st.integers(1, 4))
def test_what_is_left_is_the_best_of_all_choices(surplus: int, number: int, seed: int, vocabulary: int) -> None:
    """Few words, so that many sets are alike and texts hold words of several."""
    draw = random.Random(seed)
    sets = [tuple(draw.choices(WORDS[:vocabulary], k=2)) for _ in range(number + surplus)]
    texts = [" ".join(draw.choices(WORDS[: vocabulary + 1], k=2)) for _ in range(number)]
    left = tuple(without_prediction(sets, texts))
    best = max(_held(sets, texts, one) for one in combinations(range(len(sets)), surplus))
    assert len(left) == surplus
    assert _held(sets, texts, left) == pytest.approx(best)


@pytest.mark.parametrize("texts", [["", "", ""], ["bal", "bal", "bal"]])
def test_without_a_sign_it_is_the_last(texts: list[str]) -> None:
    assert without_prediction([("x", "y")] * 5, texts) == [3, 4]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 399), min_size=1, max_size=3, unique=True), st.integers(0, 10**6))
def test_the_sets_whose_lines_are_lost_are_found(
    tmp_path_factory: pytest.TempPathFactory, lost: list[int], seed: int
) -> None:
    sets = _sets(400, seed)
    path = tmp_path_factory.mktemp("surplus") / "p.txt"
    path.write_text("".join(" ".join(one[:2]) + "\n" for at, one in enumerate(sets) if at not in lost))
    found = pair(given_references([Example(one, (" ".join(one),)) for one in sets]), str(path))
    (note,) = found.notes
    named = ", ".join(f"set {at + 1} ({'#'.join(sets[at])})" for at in sorted(lost))
    assert (note.what, note.times, note.is_warning) == ("surplus_references", len(lost), True)
    assert f"most likely {named}: references has 400 sets, {path} {400 - len(lost)} lines" in str(note)
    assert found.items["key"].to_pylist() == ["#".join(one) for at, one in enumerate(sets) if at not in lost]


@pytest.mark.parametrize(("number", "lost"), [(99, 1), (299, 3), (2_000, 4)])
def test_more_than_a_few_are_refused(tmp_path: Path, number: int, lost: int) -> None:
    (tmp_path / "p.txt").write_text("a\n" * (number - lost))
    references = given_references([Example(one, ("x",)) for one in _sets(number, 1)])
    with pytest.raises(InputError, match="give one for each, in their order"):
        pair(references, str(tmp_path / "p.txt"))


def test_predictions_of_the_running_program_are_never_short() -> None:
    references = given_references([Example(one, ("x",)) for one in _sets(500, 1)])
    with pytest.raises(InputError, match="has 499 predictions, and references has 500 sets"):
        pair_predictions(references, given_predictions(["a"] * 499))
