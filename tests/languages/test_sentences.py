"""Cutting texts into sentences: every character stays but the white space at a cut."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.languages.korean.normalise import normalise
from conceptloom.languages.korean.sentences import split_sentences

TEXT = st.one_of(st.text("가다나 .!?\"'3,…。\n"), st.text())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("비가 온다. 우산을 쓴다.", ["비가 온다.", "우산을 쓴다."]),
        ("비가 와? 응! 그렇다.", ["비가 와?", "응!", "그렇다."]),
        ("그가 \"간다.\" 그가 '온다!' 끝", ['그가 "간다."', "그가 '온다!'", "끝"]),
        ("비가 온다", ["비가 온다"]),
        ("비가 온다.", ["비가 온다."]),
        ("무게는 3.5다. 값은 2.1이다.", ["무게는 3.5다.", "값은 2.1이다."]),
        ("비가 온다.우산을 쓴다.", ["비가 온다.우산을 쓴다."]),
        ("글쎄... 모르겠다.", ["글쎄...", "모르겠다."]),
        ("비가 오고, 눈이 온다.", ["비가 오고, 눈이 온다."]),
        ("", [""]),
        (".", ["."]),
    ],
)
def test_cuts(text: str, expected: list[str]) -> None:
    assert split_sentences(text) == expected


@settings(deadline=None)
@given(TEXT)
def test_the_sentences_joined_are_the_text(text: str) -> None:
    normal = normalise(text)
    assert " ".join(split_sentences(normal)) == normal


@settings(deadline=None)
@given(TEXT)
def test_sentences_are_cut_no_further(text: str) -> None:
    normal = normalise(text)
    sentences = split_sentences(normal)
    assert [part for sentence in sentences for part in split_sentences(sentence)] == sentences
    assert len(sentences) == 1 + len(re.findall(r"[.!?][\"']? ", normal))


@settings(deadline=None)
@given(TEXT)
def test_sentences_are_normalised_and_only_an_empty_text_gives_an_empty_one(text: str) -> None:
    normal = normalise(text)
    sentences = split_sentences(normal)
    assert all(normalise(sentence) == sentence for sentence in sentences)
    assert all(sentences) == bool(normal)


@settings(deadline=None)
@given(TEXT)
def test_nothing_is_added_to_any_text(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())
