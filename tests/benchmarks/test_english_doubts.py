"""What the English analysis misses and adds: counted on a few pairs, and bounded on the published data."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from english_analysis import published_pairs, vocabulary_of  # noqa: E402
from english_doubts import CAUSES, Doubts, Pair, cause_of, measure_doubts  # noqa: E402

from conceptloom.languages.english.analysers import concepts_of  # noqa: E402
from conceptloom.languages.english.lemma_analysers import LemmaAnalyser  # noqa: E402

DATA = ROOT.parent / "shared" / "data" / "en"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the real data is not in ../shared/data")
VOCABULARY = frozenset("man fish fishing boat dog run ski skiing building build leaf leave the".split())  # noqa: SIM905
Published = tuple[list[Pair], frozenset[str]]


def test_causes_of_what_is_missed() -> None:
    found = {
        cause_of("caf\ufffd", ["café"]): "undecoded",
        cause_of("the", ["the"]): "function word",
        cause_of("grazing", ["grazing", "a"]): "verb in -ing",
        cause_of("giraffes", ["giraffes"]): "inflected",
        cause_of("singe", ["singing"]): "wrong lemma",
        cause_of("snowboard", ["snow", "snowball"]): "other form",
        cause_of("dog", ["cat"]): "absent",
    }
    assert list(found) == list(found.values()) == list(CAUSES)


def test_doubts_are_counted() -> None:
    pairs = [(("dog", "run"), "Dogs run."), (("dog", "cat"), "Dogs leave the building."), (("giraffes",), "giraffes")]
    doubts = measure_doubts(pairs, LemmaAnalyser(VOCABULARY))
    assert (doubts.pairs, doubts.missed_pairs, doubts.words, doubts.matched_words, doubts.beyond) == (3, 2, 7, 5, 3)
    assert doubts.causes == {"absent": 1, "inflected": 1}
    assert doubts.missed == {("absent", "cat"): 1, ("inflected", "giraffes"): 1}
    assert doubts.several == {("building", ("build", "building")): 1}
    assert (doubts.found_share, doubts.several_share) == (pytest.approx(1 / 3), pytest.approx(1 / 5))


@pytest.fixture(scope="module")
def published() -> Published:
    """The pairs of the published train text, and the vocabulary of the benchmark."""
    pairs = published_pairs(DATA)
    return pairs, vocabulary_of(DATA, pairs)


@pytest.fixture(scope="module")
def doubts(published: Published) -> Doubts:
    pairs, vocabulary = published
    return measure_doubts(pairs, LemmaAnalyser(vocabulary))


@needs_data
@pytest.mark.slow
def test_nearly_all_published_concepts_are_found(doubts: Doubts) -> None:
    assert doubts.pairs == 33_694
    assert doubts.found_share >= 0.990
    assert doubts.causes["wrong lemma"] + doubts.causes["inflected"] >= 0.9 * doubts.causes.total()


@needs_data
@pytest.mark.slow
def test_few_words_stand_for_several_concepts(doubts: Doubts) -> None:
    assert doubts.several_share <= 0.03
    assert doubts.beyond / doubts.pairs <= 2.5
    assert doubts.matched_words / doubts.words <= 0.56


@needs_data
@pytest.mark.slow
def test_missed_pairs_are_counted_as_a_plain_program_counts(published: Published, doubts: Doubts) -> None:
    pairs, vocabulary = published
    found = concepts_of([text for _, text in pairs], LemmaAnalyser(vocabulary))
    lost = [set(concepts) - set(those) for (concepts, _), those in zip(pairs, found, strict=True)]
    assert doubts.missed_pairs == sum(map(bool, lost))
    assert doubts.causes.total() == sum(doubts.missed.values()) == sum(map(len, lost))
    assert doubts.beyond == sum(len(set(those) - set(concepts)) for (concepts, _), those in zip(pairs, found))
