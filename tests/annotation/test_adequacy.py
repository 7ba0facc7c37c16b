"""The similarity of references, compared with the definition of tf-idf and an enumeration of all subsets."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tfidf_oracle import cosines

from conceptloom.annotation import Agreement, agreement_by_references, make_encoder
from conceptloom.annotation.adequacy import grouped_references
from conceptloom.annotation.encoders import as_rows, describe, pair_cosines
from conceptloom.errors import ConfigError, InputError
from conceptloom.examples import Example
from conceptloom.statistics.files import load_examples

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "en" / "commongen"
WORDS = st.sampled_from(["dog", "dogs", "run", "ran", "the", "red", "quickly", "leaves", "building"])
SENTENCES = st.lists(WORDS, max_size=6).map(" ".join)


def lemma_cosines(texts: list[str], corpus: list[str]) -> np.ndarray:
    """Over the same lemmas."""
    texts_of, known = (as_rows(some).column("morphemes").to_pylist() for some in (texts, corpus))
    return cosines(texts_of, known)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(st.lists(SENTENCES, min_size=2, max_size=6), st.lists(SENTENCES, max_size=6))
def test_cosines_against_their_definition(texts: list[str], more: list[str]) -> None:
    corpus = [*texts, *more, "a dog"]
    left, right = np.array(list(combinations(range(len(texts)), 2))).T
    found = pair_cosines(make_encoder("tfidf", corpus), texts, left, right)
    assert found == pytest.approx(lemma_cosines(texts, corpus)[left, right], abs=1e-9)


def by_every_subset(groups: list[list[str]], corpus: list[str], number: int) -> Agreement:
    medians, deviations = [], []
    for group in groups:
        if len(group) >= number:
            matrix = lemma_cosines(group, corpus)
            subsets = [[matrix[pair] for pair in combinations(s, 2)] for s in combinations(range(len(group)), number)]
            medians.append(np.mean([np.median(values) for values in subsets]))
            deviations.append(np.mean([np.std(values) for values in subsets]))
    return Agreement(number, len(medians), float(np.mean(medians)), float(np.mean(deviations)))


GROUPS = [
    ["A dog runs in the park.", "Dogs run.", "The dog was running through parks quickly.", "A red dog ran home."],
    ["Two men build a house.", "The house was built by men.", "Men are building houses in a field."],
    ["Alone."],
]


def test_agreement_against_every_subset() -> None:
    corpus = [text for group in GROUPS for text in group]
    scorer = make_encoder("tfidf", corpus)
    found = agreement_by_references(GROUPS, scorer, draws=20_000)
    assert [one.references for one in found] == [2, 3, 4]
    for one in found:
        expected = by_every_subset(GROUPS, corpus, one.references)
        assert one.sets == expected.sets
        assert (one.median, one.deviation) == pytest.approx((expected.median, expected.deviation), abs=0.005)
    # All references of all sets: nothing is drawn, so nothing is approximate.
    assert found[2].median == pytest.approx(by_every_subset(GROUPS, corpus, 4).median, abs=1e-9)
    (only,) = agreement_by_references(GROUPS, scorer, least=4, most=2, draws=5)
    assert only.sets == 1
    assert agreement_by_references(GROUPS, scorer) == agreement_by_references(GROUPS, scorer)


def test_groups_do_not_depend_on_the_order_of_files() -> None:
    examples = [Example(("a", "b"), ("x", "z")), Example(("c",), ("y",)), Example(("b", "a"), ("x",))]
    assert grouped_references(examples) == grouped_references(examples[::-1])
    assert sorted(grouped_references(examples)) == [["x", "x", "z"], ["y"]]


def test_what_cannot_be_said() -> None:
    scorer = make_encoder("tfidf", ["a dog"])
    with pytest.raises(InputError, match="no set has 2 references"):
        agreement_by_references([["one"]], scorer)
    with pytest.raises(ConfigError, match="the most is 2 or more, not 1"):
        agreement_by_references(GROUPS, scorer, most=1)
    for name in ("bert", "transformers:"):
        with pytest.raises(ConfigError, match=f"no encoder is called '{name}'; there are: tfidf, transformers:PATH"):
            make_encoder(name, [])
    assert describe("tfidf", 1234).endswith("idf of 1,234 sentences")


@pytest.mark.skipif(not DATA.exists(), reason="the real data is not in ../shared/data")
@pytest.mark.slow
def test_the_published_references() -> None:
    groups = grouped_references(load_examples(str(DATA / "commongen.dev.jsonl")))[:100]
    corpus = [text for group in groups for text in group]
    found = agreement_by_references(groups, make_encoder("tfidf", corpus), most=3, draws=200)
    for one in found:
        expected = by_every_subset(groups, corpus, one.references)
        assert one.sets == expected.sets
        assert (one.median, one.deviation) == pytest.approx((expected.median, expected.deviation), abs=0.005)
