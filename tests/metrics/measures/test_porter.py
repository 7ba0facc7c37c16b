"""Porter's stemmer against nltk's: on every word of the data that is here, and on words that nobody wrote."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer as Nltk

from conceptloom.metrics.measures.porter import PorterStemmer

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"
MODES = [(False, Nltk.ORIGINAL_ALGORITHM), (True, Nltk.NLTK_EXTENSIONS)]
SUFFIXES = [
    *("ational", "tional", "enci", "anci", "izer", "abli", "alli", "entli", "eli", "ousli", "ization", "ation"),
    *("ator", "alism", "iveness", "fulness", "ousness", "aliti", "iviti", "biliti", "logi", "fulli", "bli", "icate"),
    *("ative", "alize", "iciti", "ical", "ful", "ness", "al", "ance", "ence", "er", "ic", "able", "ible", "ant"),
    *("ement", "ment", "ent", "ion", "sion", "tion", "ou", "ism", "ate", "iti", "ous", "ive", "ize", "sses", "ies"),
    *("ss", "s", "eed", "ed", "ing", "ied", "y", "e", "ll"),
]
WORDS = st.lists(st.sampled_from([*SUFFIXES, *"aeioubcdstlvwxyz", "개"]), max_size=6).map("".join)


@pytest.mark.parametrize(("changed", "mode"), MODES)
@settings(max_examples=100, deadline=None)
@given(word=WORDS)
def test_it_is_nltks_on_any_word(changed: bool, mode: str, word: str) -> None:
    assert PorterStemmer(changed).stem(word) == Nltk(mode).stem(word)


@pytest.mark.parametrize(("changed", "mode"), MODES)
def test_irregular_words(changed: bool, mode: str) -> None:
    for word in [*Nltk().pool, "died", "spied", "ties", "enjoy", "by", "as", "trekking", "geologi", "", "s"]:
        assert PorterStemmer(changed).stem(word) == Nltk(mode).stem(word)


def _words() -> Iterator[str]:
    for path in sorted(DATA.rglob("*")):
        if path.is_file():
            yield from re.findall("[a-z0-9]+", path.read_bytes().decode("utf-8", "replace").lower())


@pytest.mark.slow
@pytest.mark.parametrize(("changed", "mode"), MODES)
def test_it_is_nltks_on_every_word_of_the_data(changed: bool, mode: str) -> None:
    if not DATA.exists():
        pytest.skip(f"{DATA} is not here")
    words, ours, theirs = sorted(set(_words())), PorterStemmer(changed), Nltk(mode)
    assert len(words) > 200_000
    assert [word for word in words if ours.stem(word) != theirs.stem(word)] == []
