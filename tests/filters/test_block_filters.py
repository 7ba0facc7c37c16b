"""Block filters among predicates: who is asked first, about what, how often it is opened, and whose reason counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.arrays.building import text_array
from conceptloom.corpus.analysis import KoreanAnalyser, analyse
from conceptloom.filters import (
    KEEP,
    AnyFilter,
    BlockFilter,
    Subject,
    Verdict,
    first_objection,
    make_filter,
    open_filters,
    verdict_of,
)
from conceptloom.json_values import JsonObject

OPENED: list[str] = []
ASKED: list[list[object]] = []


@dataclass(frozen=True)
class Holding:
    """A block filter that leaves out what holds a word (as a text, a surface or a concept)."""

    word: str
    subject: Subject = "text"

    def signature(self) -> JsonObject:
        return {"name": "holding", "word": self.word}

    def open(self) -> "OpenHolding":
        OPENED.append(self.word)
        return OpenHolding(self.word)


@dataclass(frozen=True)
class OpenHolding:
    word: str

    def verdicts(self, subjects: Sequence[object]) -> list[Verdict]:
        ASKED.append(list(subjects))
        found = [self.word in (one if isinstance(one, str) else list(map(str, one))) for one in subjects]  # type: ignore[call-overload]
        # Of equal value, but not the object KEEP.
        return [Verdict(not one, "holding" if one else "", self.word if one else "") for one in found]


@dataclass(frozen=True)
class Without:
    """A predicate: leaves out a text without a word."""

    word: str
    subject: ClassVar[Subject] = "text"

    def check(self, subject: str) -> Verdict:
        return KEEP if self.word in subject else Verdict(False, "without", self.word)


FILTERS = st.lists(
    st.one_of(st.builds(Holding, st.sampled_from("abc")), st.builds(Without, st.sampled_from("xyz"))), max_size=4
)


@settings(deadline=None)
@given(FILTERS, st.lists(st.text("abcxyz"), max_size=9))
def test_predicates_come_first_and_then_block_filters_each_in_their_order(
    filters: list[AnyFilter], texts: list[str]
) -> None:
    ASKED.clear()
    found = open_filters(filters, "text").objections(text_array(texts))
    predicates = [one for one in filters if isinstance(one, Without)]
    blocks = [one for one in filters if isinstance(one, Holding)]
    for position, text in enumerate(texts):
        objections = [Verdict(False, "without", one.word) for one in predicates if one.word not in text]
        objections += [Verdict(False, "holding", one.word) for one in blocks if one.word in text]
        assert found.get(position) == (objections[0] if objections else None)
    left = [text for text in texts if first_objection(predicates, text) is KEEP]
    for one, asked in zip(blocks, ASKED, strict=True):
        assert asked == left
        left = [text for text in left if one.word not in text]


def test_one_filter_is_asked_about_one_sentence() -> None:
    assert verdict_of(Holding("개"), "개가 잔다.") == (False, "holding", "개")
    assert verdict_of(Holding("공"), "개가 잔다.").keep
    assert verdict_of(make_filter("digits"), "개가 2").reason == "digits"
    assert isinstance(Holding("개"), BlockFilter) and not isinstance(make_filter("digits"), BlockFilter)


def test_an_analyser_opens_its_block_filters_once_and_asks_them_subject_by_subject() -> None:
    filters = (Holding("소", "concepts"), Holding("고양이", "text"), make_filter("not_declarative"))
    texts = ["작은 개가 공원에서 공을 문다.", "고양이가 잔다.", "고양이가 자요", "큰 소가 풀을 뜯는다."]
    OPENED.clear()
    ASKED.clear()
    for _ in range(3):
        analysis = analyse(texts, KoreanAnalyser(filters=filters))
    assert sorted(OPENED) == ["고양이", "소"]
    assert ASKED[0] == [texts[0], texts[1], texts[3]]
    assert [len(asked) for asked in ASKED] == [3, 2] * 3
    reasons = {position: verdict.reason for position, verdict in analysis.objections.items()}
    assert reasons == {1: "holding", 2: "not_declarative", 3: "holding"}
    assert analysis.kept.tolist() == [0]


@dataclass(frozen=True)
class Listed(Without):
    """A predicate with a signature, as one with a list of words in a file has."""

    def signature(self) -> JsonObject:
        return {"name": "listed", "word": self.word}


def test_an_analysers_signature_names_the_filters_that_have_one() -> None:
    analyser = KoreanAnalyser(filters=(make_filter("digits"), Holding("개"), Listed("소")))
    words = [{"name": "holding", "word": "개"}, {"name": "listed", "word": "소"}]
    assert analyser.signature()["signed_filters"] == words
    assert list(KoreanAnalyser(filters=(make_filter("digits"),)).signature()) == ["tagger"]


@pytest.mark.parametrize("given", [0, 2])
def test_a_filter_that_judges_too_few_sentences_is_an_error(given: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OpenHolding, "verdicts", lambda self, subjects: [KEEP] * given)
    with pytest.raises(ValueError, match="zip"):
        open_filters([Holding("개")], "text").objections(text_array(["개"]))
