"""Which captions are copies of each other: those of the same words, or of the same text."""

from collections import Counter

from hypothesis import example, given
from hypothesis import strategies as st

from conceptloom.corpus.captions import UNIQUE_BY, CaptionAnalyser, caption_ids
from conceptloom.languages.english.normalise import normalise
from conceptloom.languages.english.words import words
from conceptloom.readers import Text, make_reader

CAPTIONS = st.text(alphabet="aB ,.!'", max_size=12)


def ids_of(text: str) -> list[str]:
    """The ids that stage ingest gives a caption, by each of UNIQUE_BY."""
    reader = make_reader("lines", {})
    units = [CaptionAnalyser(unique_by=name).unit for name in UNIQUE_BY]
    return [row[0] for unit in units for row in unit.rows([Text(1, 0, text)], 0, reader, Counter())]


@given(CAPTIONS, CAPTIONS)
@example("A dog, running!", "a dog running")
@example("!", ".")
def test_captions_of_the_same_words_have_one_id(one: str, other: str) -> None:
    """And no others; a text without words is itself."""
    (by_words, by_text), (other_words, other_text) = ids_of(one), ids_of(other)
    same_text = normalise(one) == normalise(other)
    assert (by_text == other_text) == same_text
    assert (by_words == other_words) == (same_text or words(normalise(one)) == words(normalise(other)) != [])
    assert [by_words, by_text] == caption_ids(one)
