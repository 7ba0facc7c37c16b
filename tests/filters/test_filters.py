"""Filters: what each keeps and leaves out, their options, the presets, and what they do to the published sentences."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.arrays.building import text_array
from conceptloom.arrays.lists import string_lists
from conceptloom.corpus.analysis import KoreanAnalyser, analyse
from conceptloom.errors import ConfigError
from conceptloom.filters import (
    FILTERS,
    KEEP,
    PRESETS,
    SUBJECTS,
    PartColumn,
    QuickFilter,
    first_objection,
    make_filter,
    part_at,
    preset_options,
)
from conceptloom.filters.presets import PUBLISHED_WORDS
from conceptloom.languages.korean.token_table import table_of
from conceptloom.languages.korean.tokens import Token

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "ko"
TEXT = st.one_of(st.text("가다힣 .,a1ㄱ①²_-!\n"), st.text())
OPTIONS = {
    "foreign": "allow",
    "length": "maximum_characters, maximum_eojeol, minimum_characters, minimum_eojeol",
    "few_concepts": "minimum",
}


def tokens(*tags: str) -> list[Token]:
    return [Token(f"말{number}", tag) for number, tag in enumerate(tags)]


# name, options, subject, the detail of the objection (None: kept)
CASES: list[tuple[str, dict[str, Any], Any, str | None]] = [
    ("empty", {}, "가", None),
    ("empty", {}, "", ""),
    ("not_declarative", {}, "비가 온다.", None),
    ("not_declarative", {}, "비가 와요.", " 와요."),
    ("not_declarative", {}, "비가 온다", "가 온다"),
    ("not_declarative", {}, "비가 온다?", " 온다?"),
    ("not_declarative", {}, "비가 온다..", "온다.."),
    ("not_declarative", {}, "", ""),
    ("digits", {}, "두 사람이 간다.", None),
    ("digits", {}, "사람 12명이 간다.", "12"),
    ("digits", {}, "사람 ３명이 간다.", "３"),
    ("digits", {}, "사람 ٣명이 간다.", "٣"),
    ("foreign", {}, "두 사람, 세 사람이 12시에 간다.", None),
    ("foreign", {}, "TV를 본다.", "TV"),
    ("foreign", {"allow": ["TV", "Wii"]}, "TV모니터와 wii가 있다.", None),
    ("foreign", {"allow": ["TV", "Wii"]}, "TV를 보고 TVN도 본다.", "TVN"),
    ("foreign", {"allow": ["TV"]}, "HDTV를 본다.", "HDTV"),
    ("foreign", {"allow": ["TV"]}, "티TV브이", None),
    ("foreign", {"allow": ["TV"]}, "VTV TTV TVTV.", "VTV"),
    ("foreign", {"allow": []}, "TV를 본다.", "TV"),
    ("foreign", {}, "집에 é가 있다.", "é"),
    ("foreign", {}, "大로 간다.", "大"),
    ("foreign", {}, "ㅋㅋ 웃는다.", "ㅋㅋ"),
    ("foreign", {}, "넓이가 백 ㎡다.", None),
    ("foreign", {}, "삼²은 구다.", "²"),
    ("symbols", {}, "비가 오고, 눈이 온다.", None),
    ("symbols", {}, "비가 온다", None),
    ("symbols", {}, "비가 '온다'고 한다.", "'"),
    ("symbols", {}, "비(눈)가 온다.", "("),
    ("symbols", {}, "비_눈이 온다.", "_"),
    ("symbols", {}, "비가 온다... 눈이 온다.", "..."),
    ("symbols", {}, "값이 일.오다.", "."),
    ("symbols", {}, "비가 온다.. ", ".."),
    ("symbols", {}, "웃는다😀.", "😀"),
    ("length", {}, "열 글자 말이 온다.", None),
    ("length", {}, "아홉자 글이다.", "8 characters"),
    ("length", {}, "가" * 60 + " 온다다.", None),
    ("length", {}, "가" * 61 + " 온다다.", "66 characters"),
    ("length", {}, "한어절로된문장이온다.", "1 eojeol"),
    ("length", {}, " ".join("가" * 18) + " 다.", None),
    ("length", {}, " ".join("가" * 19) + " 다.", "20 eojeol"),
    ("length", {"maximum_characters": 100}, "가" * 61 + " 온다다.", None),
    ("length", {"minimum_characters": 1}, "온다.", "1 eojeol"),
    ("length", {"minimum_characters": 1, "minimum_eojeol": 1}, "온다.", None),
    ("length", {"maximum_eojeol": 3}, "열 글자 말이 온다.", "4 eojeol"),
    ("proper_noun", {}, tokens("NNG", "NNP+JX", "VV+EF"), None),
    ("proper_noun", {}, tokens("NNG", "JX", "NNP"), "말2"),
    ("pronoun", {}, tokens("NP+JKS", "NNP"), None),
    ("pronoun", {}, tokens("NP"), "말0"),
    ("numeral", {}, tokens("NR+JKS", "MM"), None),
    ("numeral", {}, tokens("MM", "NR"), "말1"),
    ("vocative", {}, tokens("JKS", "JKO"), None),
    ("vocative", {}, tokens("NNG", "JKV"), "말1"),
    ("vocative", {}, [], None),
    ("few_concepts", {}, ["가", "나", "다"], None),
    ("few_concepts", {}, ["가", "나"], "2 concepts"),
    ("few_concepts", {}, [], "0 concepts"),
    ("few_concepts", {"minimum": 1}, ["가"], None),
    ("few_concepts", {"minimum": 4}, ["가", "나", "다"], "3 concepts"),
]


@pytest.mark.parametrize(("name", "options", "subject", "detail"), CASES)
def test_verdicts(name: str, options: dict[str, Any], subject: Any, detail: str | None) -> None:
    verdict = make_filter(name, options).check(subject)
    assert verdict == (KEEP if detail is None else (False, name, detail))


def test_every_filter_has_cases_that_keep_and_that_leave_out() -> None:
    shown = {(name, detail is None) for name, _, _, detail in CASES}
    assert shown == {(name, keep) for name in FILTERS for keep in (True, False)}


@settings(deadline=None)
@given(TEXT)
def test_character_filters_are_those_of_a_plain_program(text: str) -> None:
    foreign = any((c.isalnum() or c == "_") and not c.isdecimal() and c != "_" and not "가" <= c <= "힣" for c in text)
    assert make_filter("foreign").check(text).keep == (not foreign)
    assert make_filter("digits").check(text).keep == (not any(c.isdecimal() for c in text))
    if "\n" in text:
        return
    body = text.removesuffix(".")
    assert make_filter("symbols").check(text).keep == all(c.isalnum() or c.isspace() or c == "," for c in body)


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_name_registered_filters_once(preset: str) -> None:
    names = PRESETS[preset]
    assert set(names) <= set(FILTERS)
    assert len(set(names)) == len(names)
    assert names[0] == "empty"
    assert all(make_filter(name).subject in SUBJECTS for name in names)


def test_only_the_paper_leaves_numerals_out() -> None:
    assert [preset for preset, names in PRESETS.items() if "numeral" in names] == ["paper"]
    assert PRESETS["none"] == ("empty",)


@pytest.mark.parametrize("name", list(FILTERS))
@pytest.mark.parametrize("option", ["nonsense", "subject"])
def test_an_unknown_option_is_refused(name: str, option: str) -> None:
    """`subject` is what a filter looks at, not an option."""
    options = f"it has: {OPTIONS[name]}" if name in OPTIONS else "it has none"
    with pytest.raises(ConfigError) as raised:
        make_filter(name, {option: 1})
    assert str(raised.value) == f"filter {name} has no option {option!r}; {options}"


WORDS = st.text("abTV", min_size=1, max_size=3)


@settings(deadline=None)
@given(st.lists(WORDS, max_size=3), st.text("abTV가 ,1.", max_size=20))
def test_allowed_words_are_those_of_a_plain_program(allow: list[str], text: str) -> None:
    words = "".join(c if c.isascii() and c.isalpha() else " " for c in text).split()
    wrong = [word for word in words if word.casefold() not in {one.casefold() for one in allow}]
    verdict = make_filter("foreign", {"allow": allow}).check(text)
    assert verdict == ((False, "foreign", wrong[0]) if wrong else KEEP)


@pytest.mark.parametrize("allow", [["U-Haul"], ["가"], [""], ["(TV"]])
def test_what_is_no_foreign_word_cannot_be_allowed(allow: list[str]) -> None:
    with pytest.raises(ConfigError, match="filter foreign: .* in allow is not a word"):
        make_filter("foreign", {"allow": allow})


@pytest.mark.parametrize("allow", ["TV", [1], 3])
def test_the_allowed_words_are_a_list(allow: object) -> None:
    with pytest.raises(ConfigError, match="it may be a list of text"):
        make_filter("foreign", {"allow": allow})


@pytest.mark.skipif(not DATA.is_dir(), reason="the real data is not in ../shared/data")
def test_the_allowed_words_are_in_the_published_data() -> None:
    paths = [DATA / "published" / f"{name}.jsonl" for name in ("captions", "dialogue_summaries")]
    text = "".join(path.read_text(encoding="utf-8") for path in [*paths, DATA / "outputs" / "references.jsonl"])
    assert [word for word in PUBLISHED_WORDS if word.casefold() not in text.casefold()] == []


def test_only_the_published_preset_allows_words() -> None:
    assert [preset for preset in PRESETS if preset_options(preset, "foreign")] == ["published"]


def test_an_option_of_the_wrong_type_is_refused() -> None:
    with pytest.raises(ConfigError, match="minimum"):
        make_filter("few_concepts", {"minimum": "three"})


def test_an_unknown_filter_is_refused() -> None:
    with pytest.raises(ConfigError, match="no filter is called 'emoji'; there are: digits, empty"):
        make_filter("emoji")


def test_the_first_objection_counts() -> None:
    filters = tuple(make_filter(name) for name in ("digits", "foreign", "not_declarative"))
    assert first_objection(filters, "TV 2대").reason == "digits"
    assert first_objection(filters, "TV 두 대").reason == "foreign"
    assert first_objection(filters, "텔레비전이 있다.") is KEEP
    assert first_objection((), "") is KEEP


@pytest.mark.skipif(not DATA.is_dir(), reason="the real data is not in ../shared/data")
@pytest.mark.slow
def test_hardly_any_published_sentence_is_left_out() -> None:
    files = [DATA / "published" / f"{name}.jsonl" for name in ("captions", "dialogue_summaries")]
    texts = [json.loads(line)["scene"] for path in files for line in path.open(encoding="utf-8")]
    filters = tuple(make_filter(name, preset_options("published", name)) for name in PRESETS["published"])
    objections = analyse(texts, KoreanAnalyser(filters=filters)).objections
    reasons = Counter(verdict.reason for verdict in objections.values())
    assert len(texts) == 21_593
    assert reasons.total() <= 0.0018 * len(texts)
    assert reasons["foreign"] == 13
    assert set(reasons) <= {"foreign", "symbols", "not_declarative", "few_concepts"}
    assert reasons["few_concepts"] <= 9


SPOKEN = st.text(st.sampled_from("가나다다.., 2TVtvㅋ!_\n٣ñ"), max_size=24)
FORMS = st.sampled_from(["나", "서울", "셋", "개"])


def quick(subject: str) -> list[tuple[str, QuickFilter]]:
    made = [(name, make_filter(name, preset_options("published", name))) for name in FILTERS]
    return [(name, one) for name, one in made if isinstance(one, QuickFilter) and one.subject == subject]


def agree(one: QuickFilter, column: PartColumn) -> list[bool]:
    """Whether each sentence passes; what passes is kept."""
    passed = one.passes(column).tolist()
    assert len(passed) == len(column)
    assert all(one.check(part_at(column, row)) is KEEP for row, passes in enumerate(passed) if passes)
    return passed


@settings(deadline=None)
@given(st.lists(st.one_of(SPOKEN, SPOKEN.map(lambda text: f"{text} 다."), st.text()), max_size=9))
def test_a_text_that_passes_is_kept(texts: list[str]) -> None:
    for _, one in quick("text"):
        agree(one, text_array(texts))


@settings(deadline=None)
@given(st.lists(st.lists(st.builds(Token, FORMS, st.sampled_from(["NNG", "NNP", "NP", "NR", "JKV", "NP+JKS"])))))
def test_tokens_pass_where_they_are_kept(sentences: list[list[Token]]) -> None:
    for name, one in quick("tokens"):
        assert agree(one, table_of(sentences)) == [one.check(tokens) is KEEP for tokens in sentences], name


@given(st.lists(st.lists(FORMS)))
def test_concepts_pass_where_they_are_kept(concepts: list[list[str]]) -> None:
    ((_, one),) = quick("concepts")
    assert agree(one, string_lists(concepts)) == [len(found) >= 3 for found in concepts]


def test_every_filter_looks_over_a_block_and_lets_most_sentences_pass() -> None:
    texts = text_array(["작은 개가 공원에서 공을 문다.", "비가 오고, 사람이 우산을 쓴다."])
    assert [name for name, _ in quick("text") + quick("tokens") + quick("concepts")] == sorted(FILTERS, key=_subject)
    for name, one in quick("text"):
        assert one.passes(texts).all(), name


def _subject(name: str) -> int:
    return SUBJECTS.index(make_filter(name).subject)
