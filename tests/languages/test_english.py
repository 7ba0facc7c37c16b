"""English words, lemmas and the concepts of sentences, also on the published data."""

import re
import shutil
import sys
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import lemminflect
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.conceptnet import read_vocabulary
from conceptloom.errors import ConfigError
from conceptloom.languages.english import lemma_analysers
from conceptloom.languages.english.analysers import concepts_of, make_analyser, named_analyser
from conceptloom.languages.english.lemma_analysers import LemmaAnalyser, LikelyAnalyser
from conceptloom.languages.english.lemmas import lemmas
from conceptloom.languages.english.normalise import normalise
from conceptloom.languages.english.words import FUNCTION_WORDS, is_verbal, words
from conceptloom.languages.spelling import one_spelling

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "en"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the real data is not in ../shared/data")
PIECES = st.sampled_from(
    ["dog", "Dogs", "n't", "'s", " ", "  ", ".", ",", "’", "é", "e\u0301", "\u200b", "3", "_", "-"]
)
TEXT = st.lists(PIECES, max_size=12).map("".join) | st.text()


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("A dog runs .", "A dog runs."),
        ("A man 's dog does n't bark , and it 's old .", "A man's dog doesn't bark, and it's old."),
        ("Players ' coats", "Players ' coats"),
        ("a 'sofa'", "a 'sofa'"),
        ("two men 'd 3 .5", "two men'd 3 .5"),
        ("dog n'tdog n't3", "dog n'tdog n't3"),
        ("“No ”  …", '"No " ...'),
        ("", ""),
    ],
)
def test_spellings(raw: str, expected: str) -> None:
    assert normalise(raw) == expected


@settings(deadline=None)
@given(TEXT)
def test_a_normalised_text_stays_as_it_is_and_keeps_its_words(text: str) -> None:
    normal = normalise(text)
    assert normalise(normal) == normal == one_spelling(normal)
    spelled = one_spelling(text)
    assert words(normal) == words(re.sub(r" (?=n't(?![^\W_]))", "", spelled)) or " '" in spelled


@settings(deadline=None)
@given(TEXT)
def test_words_are_all_letters_and_digits_of_the_text(text: str) -> None:
    found = words(text)
    assert all(found)
    lowered = text.lower()
    assert [c for word in found for c in word if c != "'"] == [c for c in lowered if c.isalnum()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The DOG's tail isn't long; they’re 2 T-shirts.", "the dog 's tail is n't long they 're 2 t shirts"),
        ("can't won't snt n't", "ca n't wo n't snt n't"),
        ("rock'n'roll o'clock 'sofa' it's.", "rock n roll o clock sofa it 's"),
        ("70s café naïve_word", "70s café naïve word"),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert words(text) == expected.split()


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("men", "man"), ("ate", "eat"), ("leaves", "leaf leave"), ("saw", "saw see"), ("snowboarders", "snowboarder"),
        ("veggies", "veggie veggy"), ("jeans", "jean jeans"), ("frisbee", "frisbee"), ("themed", "theme"),
        ("fishing", "fish fishing"), ("building", "build building"), ("like", "like"),
        ("is", ""), ("with", ""), ("n't", ""),
    ],
)  # fmt: skip
def test_lemmas(word: str, expected: str) -> None:
    found = {*lemmas(word).certain, lemmas(word).gerund} - {""}
    assert set(expected.split()) <= found
    assert len(found) <= len(expected.split()) + 1  # a rule may leave one that is no word: snowboarders -> snowboarder


def test_each_dictionary_lemma_is_found_and_no_word_matches_more_than_its_own() -> None:
    known = ["dogs", "running", "went", "children", "painted", "glasses", "media", "remote", "species"]
    for word in known:
        own = lemminflect.getAllLemmas(word)
        dictionary = {*own.get("NOUN", ()), *own.get("VERB", ())}
        rules = {lemma for kind in ("NOUN", "VERB") for lemma in lemminflect.getAllLemmasOOV(word, kind)[kind]}
        found = set(lemmas(word).certain)
        assert dictionary <= found <= dictionary | rules


VOCABULARY = frozenset("man fish fishing boat dog run ski skiing building build leaf leave the".split())  # noqa: SIM905


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("A man is fishing near a fishing boat.", "man fish fishing boat"),
        ("The men were fishing.", "man fish"),
        ("Skiing it is.", "ski"),
        ("Image of skiing in powder", "ski skiing"),
        ("Dogs leave the building", "dog leave build building"),
        ("", ""),
    ],
)
def test_concepts_come_in_their_order_once(sentence: str, expected: str) -> None:
    assert concepts_of([sentence], LemmaAnalyser(VOCABULARY)) == [expected.split()]


def test_a_verb_in_ing_is_told_by_its_neighbours() -> None:
    sentence = "skiing he 's skiing his skiing trip while skiing".split()  # noqa: SIM905
    assert [is_verbal(sentence, at) for at in (0, 3, 5, 8)] == [False, True, False, False]


@settings(deadline=None)
@given(st.lists(TEXT, max_size=5))
@pytest.mark.parametrize("kind", [LemmaAnalyser, LikelyAnalyser])
def test_a_sentence_is_analysed_the_same_in_any_block_and_however_often(kind: type, texts: list[str]) -> None:
    analyser = kind(frozenset({"dog", "s", "é"}))
    together = analyser.matches(texts)
    assert together == [analyser.matches([text])[0] for text in texts]
    assert [len(sentence) for sentence in together] == [len(words(text)) for text in texts]
    assert {c for sentence in together for word in sentence for c in word} <= {"dog", "s", "é"}


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lemma_analysers, "FORMS", 3)
    for analyser in (LemmaAnalyser(VOCABULARY), LikelyAnalyser(VOCABULARY)):
        assert concepts_of(["dogs run man ski dogs boat"], analyser) == [["dog", "run", "man", "ski", "boat"]]
        assert len(analyser._known) <= 3


@pytest.fixture(scope="module")
def published() -> tuple[list[tuple[tuple[str, ...], str]], frozenset[str]]:
    """The pairs of the published train text, and ConceptNet's single words with the published concepts."""
    sides = [(DATA / f"commongen/train_{side}.txt").read_text("utf-8").split("\n")[:-1] for side in ("src", "trg")]
    pairs = [(tuple(concepts.split()), sentence) for concepts, sentence in zip(*sides, strict=True)]
    names = read_vocabulary(str(DATA / "conceptnet/concept_names.txt"))
    return pairs, names | {concept for concepts, _ in pairs for concept in concepts}


@needs_data
@pytest.mark.slow
def test_the_concepts_lie_between_those_of_two_plain_programs(published) -> None:
    """At least what the dictionary alone gives, at most what dictionary, rules and the word itself give."""
    pairs, vocabulary = published
    texts = [normalise(text) for _, text in pairs[::20]]
    for text, found in zip(texts, concepts_of(texts, LemmaAnalyser(vocabulary)), strict=True):
        least, most = set(), set()
        for word in re.findall(r"[^\W_]+", text.lower()):
            known = lemminflect.getAllLemmas(word)
            dictionary = {*known.get("NOUN", ()), *known.get("VERB", ())}
            ruled = {lemma for kind in ("NOUN", "VERB") for lemma in lemminflect.getAllLemmasOOV(word, kind)[kind]}
            least |= dictionary if word not in FUNCTION_WORDS and "'" not in text else set()
            most |= dictionary | ruled | {word, word[:-1] if word.endswith("ies") else word}
        assert least & vocabulary <= set(found) <= most & vocabulary


def test_an_unknown_analyser_is_an_error_that_lists_those_there_are() -> None:
    for name in ("lemmas", "lemma:", "lemma:all", "spacy", "spacy:"):
        with pytest.raises(
            ConfigError, match=f"no analyser is called '{name}'; there are: lemma, lemma:published, lemma:every, spacy:"
        ):
            make_analyser(name, VOCABULARY)


def test_without_spacy_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(ConfigError, match=r"spacy:en_core_web_sm needs spaCy: pip install 'conceptloom\[spacy\]'"):
        make_analyser("spacy:en_core_web_sm", VOCABULARY)


@pytest.fixture(scope="module")
def spacy_model(tmp_path_factory) -> str:
    """A small pipeline: tags and lemmas by the form of the word, saved as a model of the user's is."""
    spacy = pytest.importorskip("spacy", reason="wants pip install 'conceptloom[spacy]'")
    pipeline = spacy.blank("en")
    rules = pipeline.add_pipe("attribute_ruler")
    forms = {
        "dogs": ("NOUN", "dog"),
        "building": ("VERB", "build"),
        "Paris": ("PROPN", "Paris"),
        "ran": ("VERB", "run"),
    }
    for form, (tag, lemma) in forms.items():
        rules.add([[{"LOWER": form.lower()}]], {"POS": tag, "LEMMA": lemma})
    rules.add([[{"LOWER": {"NOT_IN": [form.lower() for form in forms]}}]], {"POS": "DET", "LEMMA": "dog"})
    path = tmp_path_factory.mktemp("spacy") / "model"
    pipeline.to_disk(path)
    return str(path)


def test_spacy_gives_the_nouns_and_verbs_of_the_vocabulary(spacy_model: str) -> None:
    analyser = make_analyser(f"spacy:{spacy_model}", frozenset({"dog", "build", "building", "paris"}))
    assert concepts_of(["Dogs ran building the Paris", "the"], analyser) == [["dog", "build", "paris"], []]
    signature = named_analyser(f"spacy:{spacy_model}").signature()
    assert signature["name"] == "spacy" and signature["model"].startswith("en_")


def test_the_signature_of_a_spacy_model_is_read_from_its_metadata(
    spacy_model: str, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import spacy

    meta = spacy.load(spacy_model).meta
    package = tmp_path / "en_tiny_model"
    shutil.copytree(spacy_model, package)
    (package / "__init__.py").write_text("raise AssertionError('the model was imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules, "spacy", None)
    for name in (spacy_model, "en_tiny_model"):
        assert named_analyser(f"spacy:{name}").signature() == {
            "name": "spacy",
            "spacy": version("spacy"),
            "model": f"{meta['lang']}_{meta['name']} {meta['version']}",
        }
    with pytest.raises(ConfigError, match=r"spaCy finds no such model .*python -m spacy download no_model"):
        named_analyser("spacy:no_model").signature()


@pytest.mark.slow
def test_a_spacy_model_that_is_missing_or_untagged_is_an_error(spacy_model: str, tmp_path) -> None:
    with pytest.raises(ConfigError, match=r"spaCy finds no such model .*python -m spacy download no_model"):
        make_analyser("spacy:no_model", VOCABULARY)
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ConfigError, match=r"gives no tags \(pos\)"):
        make_analyser(f"spacy:{tmp_path / 'blank'}", VOCABULARY)


def test_the_signature_names_the_version() -> None:
    every = {"name": "lemma", "lemminflect": "0.2.3"}
    assert named_analyser("lemma:every").signature() == every
    likely, published = (named_analyser(name).signature() for name in ("lemma", "lemma:published"))
    assert likely.pop("readings") != published.pop("readings") and likely == published == every


def test_function_words_are_no_nouns_of_the_published_sets() -> None:
    assert not FUNCTION_WORDS & {"like", "can", "half", "past", "mine", "outside", "nothing", "everyone"}
    assert Counter(words(" ".join(sorted(FUNCTION_WORDS)))).keys() == FUNCTION_WORDS
