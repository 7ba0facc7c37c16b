"""Declaratives without their full stop: the word classes that make one, and captions that a person has judged."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.languages.korean.declaratives import CompleteSentences, is_declarative
from conceptloom.languages.korean.normalise import normalise
from conceptloom.languages.korean.sentences import split_sentences
from conceptloom.languages.korean.taggers import tagger

ROOT = Path(__file__).parents[2]
CAPTIONS = ROOT.parent / "shared" / "data" / "ko" / "captions" / "crossmodal3600.txt"
complete = CompleteSentences()


@pytest.mark.parametrize(
    "text",
    [
        "호수에 목이 긴 노란 부리를 가진 흰 새가 서 있다",
        "모자를 쓴 여자가 말 위에 앉는다",
        "우산을 쓴 사람들이 시내 거리를 걸어간다",
        "채소와 밥이 있는 접시에서 어떠한 고기도 찾아볼 수 없습니다",
        "이것은 하얀색 주방을 찍은 흑백사진입니다",
        "아이가 친구에게 선물을 보냈다",
        "겨울 바다가 아름답다",
        "그림이 아주 마음에 들지 않다",
        "빵을 먹고 싶다",
        "할머니는 선생님이시다",
        "가게에서 물건을 판다",
    ],
)
def test_a_declarative_gets_its_full_stop(text: str) -> None:
    assert complete(text) == [f"{text}."]
    assert complete(f"{text}.") == [f"{text}."]


@pytest.mark.parametrize(
    "text",
    [
        "석양이 지는 잔잔한 바다",
        "잔디밭 위의 판다 새끼와 큰 판다",
        "나무 위에서 자는 아기 판다",
        "집 베란다",
        "빨간 우산을 든 여자",
        "나이 많은 여자들은 그렇지 않은 여자보다",
        "그림책을 볼 때마다",
        "셔츠를 벗은 남자가 축구공을 잡다",
        "해군 제트기가 건물에 충돌하다",
        "안전거리를 확보하고 운전합시다",
        "손을 먼저 씻읍시다",
        "뭐든 다",
        "비가 오는데",
        "비가 온다!",
        "비가 온다?",
        "다",
        "시다",
        "",
    ],
)
def test_anything_else_stays_as_it_is(text: str) -> None:
    assert complete(text) == [text]


def test_only_the_last_sentence_can_lack_a_full_stop() -> None:
    assert complete("비가 온다. 우산이 놓여 있다") == ["비가 온다.", "우산이 놓여 있다."]
    assert complete("비가 온다 우산") == ["비가 온다 우산"]


@settings(deadline=None)
@given(st.one_of(st.text("가다이있시합니바 .!?\"'"), st.text()))
def test_nothing_but_one_full_stop_is_added(text: str) -> None:
    normal = normalise(text)
    *first, last = split_sentences(normal)
    found = complete(normal)
    assert found[:-1] == first
    assert found[-1] == last or (found[-1] == f"{last}." and last.endswith("다"))
    assert [one for sentence in found for one in complete(sentence)] == found


def test_the_samples_hold_as_many_as_their_description_says() -> None:
    """conceptloom/samples/README.md: full stop left out after 다, 40 times in both files."""
    samples = ROOT / "conceptloom" / "samples"
    captions = json.loads((samples / "captions_ko.json").read_text(encoding="utf-8"))
    dialogues = json.loads((samples / "dialogues_ko.json").read_text(encoding="utf-8"))["data"]
    texts = [text for record in captions for text in record["caption_ko"] or ()]
    texts += [record["body"].get("summary", "") for record in dialogues]
    normal = [normalise(text) for text in texts]
    assert sum(complete(text)[-1] != split_sentences(text)[-1] for text in normal) == 40


@pytest.mark.skipif(not CAPTIONS.is_file(), reason="the real data is not in ../shared/data")
def test_real_captions_as_a_person_judges_them() -> None:
    """Of the 40 captions that end in 다 without a full stop, 14 are noun phrases: 13 of the sea, one of a panda."""
    texts = [normalise(line) for line in CAPTIONS.read_text(encoding="utf-8").splitlines()]
    ending = [text for text in texts if text.endswith("다")]
    left = [text for text in ending if complete(text) == [text]]
    assert (len(ending), len(left)) == (40, 14)
    assert [text for text in left if not text.endswith("바다")] == ["잔디밭 위의 판다 새끼와 큰 판다"]


@pytest.mark.slow
def test_another_tagger_that_gives_endings() -> None:
    pytest.importorskip("kiwipiepy", reason="wants pip install 'conceptloom[kiwi]'")
    kiwi = tagger("kiwi").tokens(["새가 서 있다", "잔잔한 바다", "남자가 공을 잡다", "같이 갑시다"])
    assert [is_declarative(tokens) for tokens in kiwi] == [True, False, False, False]
