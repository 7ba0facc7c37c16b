"""Which lemmas a word likely stands for: sentences that anybody can judge, and the published sets."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.conceptnet import read_vocabulary
from conceptloom.languages.english.analysers import Analyser, concepts_of, make_analyser
from conceptloom.languages.english.lemma_analysers import LemmaAnalyser, LikelyAnalyser
from conceptloom.languages.english.lemmas import readings_of
from conceptloom.languages.english.normalise import normalise
from conceptloom.languages.english.readings import (
    EDGE,
    Context,
    context_of,
    decode_table,
    doubts,
    kind_of,
    readings_table,
)
from conceptloom.languages.english.stop_concepts import stop_concepts
from conceptloom.languages.english.words import words
from conceptloom.statistics.files import load_examples

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "en"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the real data is not in ../shared/data")


class Anything(frozenset[str]):
    """A vocabulary that has every word."""

    def __contains__(self, word: object) -> bool:
        return True


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("A red car stands near a tall building", "car stand building"),
        ("The door is painted red.", "door paint red"),
        ("Elephants walk in the wild", "elephant walk wild"),
        ("Men are building a wall in a tall building", "man build wall building"),
        ("She is probably serious about it, almost always.", ""),
        ("leaves fall from the tree in the evening", "leaf leave fall tree evening"),
        ("a wedding cake", "wedding cake"),
        ("SOMEONE opens the door", "open door"),
        ("two of the nine dogs", "dog"),
        ("turn on the light", "turn light"),
        ("a man standing in the living room", "man stand live room"),
    ],
)
def test_nouns_and_verbs_only(sentence: str, expected: str) -> None:
    assert concepts_of([sentence], LikelyAnalyser(Anything())) == [expected.split()]


def test_the_published_sets_have_lemmas_of_their_own() -> None:
    texts, known = (
        ["two species of bird", "zebras graze"],
        frozenset(["species", "specie", "bird", "zebra", "zebras", "graze"]),
    )
    assert concepts_of(texts, make_analyser("lemma", known)) == [["species", "bird"], ["zebra", "graze"]]
    found = concepts_of(texts, make_analyser("lemma:published", known))
    assert found == [["specie", "bird"], ["zebra", "zebras", "graze"]]


@settings(deadline=None)
@given(st.text(alphabet="adeginorst ", max_size=40))
def test_what_is_likely_is_among_all_there_is(text: str) -> None:
    every, likely = (kind(Anything()).matches([text])[0] for kind in (LemmaAnalyser, LikelyAnalyser))
    assert all(set(some) <= set(most) for some, most in zip(likely, every, strict=True))


def test_the_context_of_a_word() -> None:
    sentence = [Word(kind) for kind in ("D", "A", "C", "N")]
    assert context_of(sentence, 0) == Context(EDGE, "A", "")
    assert context_of(sentence, 1) == Context("D", "C", "N")
    assert context_of(sentence[:3], 1) == Context("D", "C", EDGE)
    assert context_of(sentence, 3) == Context("C", EDGE, "")


class Word:
    """A word of which only the kind counts."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


def test_a_table_is_read_as_it_is_written() -> None:
    table = decode_table(
        b"# made by hand\nleast\t\t\t-10\nform\tred\tred\t-7\nclass\tAN n same -\t\t3\npublished\toxen\tox\t\n"
    )
    assert table.least == -10 and table.published == {"oxen": ("ox",)}
    (doubt,) = doubts("red")
    assert table.of_form("red", doubt) == -7 + table.classes.get(doubt.cls, 0) + 10
    assert table.of_context(Context("D", "N", "")) == 0


def test_only_forms_in_doubt_are_judged() -> None:
    forms = {form for form, _ in readings_table().forms}
    assert forms and all(doubts(form) for form in forms)
    assert not doubts("dogs") and not doubts("the") and kind_of("dog") == "NV"


def test_stopped_concepts_are_words_that_an_analyser_can_find() -> None:
    assert {"man", "woman", "people", "make", "show", "girl", "group", "see", "boy", "child"} <= stop_concepts()
    assert len(stop_concepts()) < 100
    assert not {"dog", "ball", "run", "water", "stand", "hold"} & stop_concepts()


@needs_data
@pytest.mark.slow
class TestOnPublishedData:
    """The claims of the tables' card."""

    @pytest.fixture(scope="class")
    def pairs(self) -> dict[str, list[tuple[set[str], str]]]:
        files = {"train": "train_src.txt", "dev": "commongen.dev.jsonl"}
        return {
            name: [
                (set(one.concepts), normalise(text))
                for one in load_examples(str(DATA / "commongen" / file))
                for text in one.sentences
            ]
            for name, file in files.items()
        }

    @pytest.fixture(scope="class")
    def vocabulary(self, pairs) -> frozenset[str]:
        names = read_vocabulary(str(DATA / "conceptnet/concept_names.txt"))
        return names.union(*(concepts for some in pairs.values() for concepts, _ in some))

    @staticmethod
    def found(analyser: Analyser, pairs: list[tuple[set[str], str]]) -> float:
        matched = concepts_of([text for _, text in pairs], analyser)
        return 100 * sum(concepts <= set(some) for (concepts, _), some in zip(pairs, matched)) / len(pairs)

    def test_published_pairs_are_found(self, pairs, vocabulary) -> None:
        likely, published = LikelyAnalyser(vocabulary), LikelyAnalyser(vocabulary, published=True)
        assert min(self.found(likely, pairs["train"]), self.found(likely, pairs["dev"])) >= 98.9
        assert self.found(published, pairs["train"]) >= 99.7

    def test_no_published_set_has_a_stopped_concept(self, pairs) -> None:
        assert not stop_concepts().intersection(*[set().union(*(c for some in pairs.values() for c, _ in some))])

    def test_words_that_are_no_noun_and_no_verb_are_next_to_never_concepts(self, pairs, vocabulary) -> None:
        """By the dictionary alone; with every lemma one caption in six has such a concept."""
        texts = [text for _, text in pairs["train"]]
        shares = []
        for analyser in (LikelyAnalyser(vocabulary), LemmaAnalyser(vocabulary)):
            matched = analyser.matches(texts)
            shares.append(
                sum(any(map(_is_adjective, words(text), some)) for text, some in zip(texts, matched)) / len(texts)
            )
        assert shares[0] < 0.01 < 0.1 < shares[1]


def _is_adjective(word: str, concepts: tuple[str, ...]) -> bool:
    readings = readings_of(word).keys()
    return bool(concepts) and bool(readings & {"ADJ", "ADV"}) and not readings & {"NOUN", "VERB", "AUX"}
