"""One spelling for one text: what changes, what never does."""

import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conceptloom.languages.korean.normalise import normalise

INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u00ad"))
STOPS = ".。．｡…"
ODD = "가나 다간\u1100\u1161\u11a8ㄱ。．｡，、！？….,!?\"'“”„＂‘’＇é\u0301e3a😀"
ODD += "\ufeff\u200b\u200c\u200d\u00ad\u00a0\u3000\t\n\r\x1c\x85"
TEXT = st.one_of(st.text(ODD), st.text())
SEPARATED = "\u1100\u200b\u1161다."
"""Two jamo of one syllable with an invisible character between them."""


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("비가 온다.", "비가 온다."),
        ("  비가\t \n온다.  ", "비가 온다."),
        ("비가\u00a0온다.\u3000", "비가 온다."),
        ("비가 온다 .", "비가 온다."),
        ("비가 온다 。", "비가 온다."),
        ("비가 오고 ， 눈이 온다．", "비가 오고, 눈이 온다."),
        ("가、나", "가,나"),
        ("비가 온다…", "비가 온다..."),
        ("정말 ? 응 !", "정말? 응!"),
        ("“비” ‘눈’ ＂해＂", '"비" \'눈\' "해"'),
        ("\ufeff비가\u200b 온\u00ad다.", "비가 온다."),
        ("무게는 3 .5다.", "무게는 3 .5다."),
        (unicodedata.normalize("NFD", "비가 온다."), "비가 온다."),
        ("공원의 개", "공원의 개"),
        ("", ""),
        (" \u200b\n", ""),
        (".", "."),
    ],
)
def test_spellings(raw: str, expected: str) -> None:
    assert normalise(raw) == expected


@settings(deadline=None)
@given(TEXT)
@example(SEPARATED)
@example("가 . .")
@example("가 , ,나 .")
def test_a_normalised_text_stays_as_it_is(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@settings(deadline=None)
@given(TEXT)
@example(SEPARATED)
def test_it_is_composed_with_single_spaces(text: str) -> None:
    normal = normalise(text)
    assert unicodedata.is_normalized("NFC", normal)
    assert " ".join(normal.split()) == normal
    assert not re.search(r" [.,!?](\s|$)", normal)
    assert not set(normal) & set("“”„‘’。，、！？…\u200b\ufeff")


@settings(deadline=None)
@given(TEXT)
def test_no_full_stop_is_added(text: str) -> None:
    normal = normalise(text)
    assert normal.count(".") <= text.count(".") + sum(text.count(stop) for stop in STOPS[1:4]) + 3 * text.count("…")
    if not set(text) & set(STOPS):
        assert "." not in normal
    if not normal.endswith("."):
        return
    visible = text.translate(INVISIBLE).rstrip()
    assert visible[-1] in STOPS


@settings(deadline=None)
@given(TEXT)
@example(SEPARATED)
def test_letters_and_digits_are_those_of_the_text(text: str) -> None:
    composed = unicodedata.normalize("NFC", text.translate(INVISIBLE))
    assert [c for c in normalise(text) if c.isalnum()] == [c for c in composed if c.isalnum()]


@settings(deadline=None)
@given(st.lists(st.text("가나다힣", min_size=1), min_size=1), st.sampled_from([" ", ", "]))
def test_a_plain_sentence_is_untouched(words: list[str], gap: str) -> None:
    for text in (gap.join(words), gap.join(words) + "."):
        assert normalise(text) == text
