"""Concept rules: against the published sets, against programs written from the rule's prose, and quirk by quirk.

The prose is shared/reference/korean-commongen.md, "Concept extraction".
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.languages.korean.extract import BLOCK, concept_sets, concepts_of
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.rules.chains import exact, free_morpheme, published
from conceptloom.languages.korean.rules.paper import paper
from conceptloom.languages.korean.taggers import tagger
from conceptloom.languages.korean.token_table import table_of
from conceptloom.languages.korean.tokens import Token

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "ko"
NAMES = ("published/captions.jsonl", "published/dialogue_summaries.jsonl", "outputs/references.jsonl")
published_data = pytest.mark.skipif(not DATA.is_dir(), reason="the real data is not in ../shared/data")


class Published(NamedTuple):
    """Published rows: the first `train` of them are of the training files."""

    train: int
    sets: list[list[str]]
    texts: list[str]
    tokens: list[list[Token]]


@pytest.fixture(scope="module")
def rows() -> Published:
    lines = [[json.loads(line) for line in (DATA / name).open(encoding="utf-8")] for name in NAMES]
    every = [row for part in lines for row in part]
    texts = [row["scene"] if isinstance(row["scene"], str) else row["scene"][0] for row in every]
    sets = [sorted(row["concept-set"].split("#")) for row in every]
    return Published(len(lines[0]) + len(lines[1]), sets, texts, list(tagger("mecab").tag(texts)))


def found_by(rule: str, texts: list[str], tokens: list[list[Token]]) -> list[list[str]]:
    concepts: list[list[str]] = RULES[rule].extract(texts, table_of(tokens), tagger("mecab")).to_pylist()
    return concepts


def mismatches(rows: Published, rule: str, start: int, end: int | None) -> float:
    texts, tokens = rows.texts[start:end], rows.tokens[start:end]
    found = found_by(rule, texts, tokens)
    wrong = [1 for concepts, stored in zip(found, rows.sets[start:end], strict=True) if sorted(concepts) != stored]
    return len(wrong) / len(texts)


@published_data
@pytest.mark.slow
def test_published_gives_the_published_sets(rows: Published) -> None:
    assert (rows.train, len(rows.texts)) == (21_593, 23_633)
    assert mismatches(rows, "published", 0, None) <= 13 / 45_228
    assert mismatches(rows, "published", 0, rows.train) <= 13 / 45_228


@published_data
@pytest.mark.slow
def test_the_command_gives_as_many_published_sets_as_the_readme_says(rows: Published, tmp_path: Path) -> None:
    """The command normalises: four concepts with two spaces (`시간  동안`) are more than the rule alone misses."""
    ran = subprocess.run(
        [sys.executable, "-m", "conceptloom", "concepts"],
        input="\n".join(rows.texts).encode(),
        capture_output=True,
        cwd=tmp_path,
        check=True,
    )
    found = [json.loads(line)["concepts"] for line in ran.stdout.decode().splitlines()]
    equal = [sorted(concepts) == stored for concepts, stored in zip(found, rows.sets, strict=True)]
    assert (sum(equal), len(equal)) == (23_624, 23_633)
    spaced = [stored for same, stored in zip(equal, rows.sets, strict=True) if not same and "  " in "#".join(stored)]
    assert len(spaced) == 4
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert "| 23,624 of 23,633 | `conceptloom concepts`" in readme


@published_data
@pytest.mark.slow
def test_exact_gives_most_of_the_published_sets(rows: Published) -> None:
    assert 0.965 <= 1 - mismatches(rows, "exact", 0, rows.train) <= 0.975
    assert 1 - mismatches(rows, "exact", rows.train, None) == pytest.approx(0.9975, abs=0.0005)


@published_data
@pytest.mark.slow
def test_the_papers_tag_list_gives_few_of_them(rows: Published) -> None:
    assert mismatches(rows, "paper", 0, None) > 0.5


# Programs written from the prose. They look at a sentence as one letter a token: n(oun), w(ord kept whole), x(other).


def letter(token: Token, kept: tuple[str, ...]) -> str:
    if token.tag.startswith("NNG"):
        return "n"
    return "w" if token.tag.startswith(kept) and token.surface not in ("대해", "대해서") else "x"


def true_starts(text: str, tokens: list[Token]) -> list[int]:
    """Where each token stands: behind the one before, and behind white space only."""
    starts, end = [], 0
    for token in tokens:
        start = end + len(text[end:]) - len(text[end:].lstrip())
        assert text.startswith(token.surface, start)
        starts.append(start)
        end = start + len(token.surface)
    return starts


def exact_chain(text: str, tokens: list[Token], first: int, last: int) -> str:
    starts = true_starts(text, tokens)
    return text[starts[first] : starts[last] + len(tokens[last].surface)]


def first_occurrence_chain(text: str, tokens: list[Token], first: int, last: int) -> str:
    piece = text[text.index(tokens[first].surface) :]
    length = len(text) - len(piece)
    end = text.index(tokens[last].surface) + len(tokens[last].surface)
    nouns = [token.surface for token in tokens[first : last + 1]]
    return "".join(nouns) if end <= length else piece[: end - length]


Chain = Callable[[str, list[Token], int, int], str]
WORDS = ("MM", "MAG", "VV", "VA")
ORACLES: dict[str, tuple[Chain, tuple[str, ...], str]] = {
    "published": (first_occurrence_chain, WORDS, "n+(?=[wx].)|w(?=.)"),
    "exact": (exact_chain, WORDS, "n+|w"),
    "free-morpheme": (first_occurrence_chain, ("MM", "MAG"), "n+|w"),
}


def oracle(rule: str, text: str, tokens: list[Token]) -> list[str]:
    chain, kept, form = ORACLES[rule]
    letters = "".join(letter(token, kept) for token in tokens)
    concepts: list[str] = []
    for match in re.finditer(form, letters):
        first, last = match.start(), match.end() - 1
        concept = tokens[first].surface if first == last else chain(text, tokens, first, last)
        if concept not in concepts:
            concepts.append(concept)
    return concepts


@published_data
@pytest.mark.parametrize("rule", sorted(ORACLES))
@pytest.mark.slow
def test_chains_are_those_of_a_plain_program(rows: Published, rule: str) -> None:
    texts, tokens = rows.texts[::2], rows.tokens[::2]
    assert found_by(rule, texts, tokens) == [oracle(rule, text, one) for text, one in zip(texts, tokens, strict=True)]


@published_data
@pytest.mark.slow
def test_noun_verb_is_that_of_a_plain_program(rows: Published) -> None:
    texts, tokens, mecab = rows.texts[::9], rows.tokens[::9], tagger("mecab")
    for text, found in zip(texts, found_by("noun-verb", texts, tokens), strict=True):
        concepts: dict[str, None] = {}
        for eojeol in (text[:-1] if text.endswith(".") else text).split():
            alone = mecab.tag([eojeol])[0]
            if alone[0].tag[:3] == "NNG":
                concepts["".join(token.surface for token in alone if token.tag[0] != "J")] = None
            elif alone[0].tag[0] == "V":
                concepts[eojeol] = None
        assert found == list(concepts)


def tokens_of(tagged: str) -> list[Token]:
    return [Token(*word.rsplit("/", 1)) for word in tagged.split()]


def extract(rule: str, text: str, tagged: str) -> list[str]:
    (concepts,) = found_by(rule, [text], [tokens_of(tagged)])
    return concepts


@pytest.mark.parametrize(
    ("text", "tagged", "published", "exact"),
    [
        pytest.param(
            "기차가 기차 역에 있다.",
            "기차/NNG 가/JKS 기차/NNG 역/NNG 에/JKB 있/VV 다/EF ./SF",
            ["기차", "기차가 기차 역", "있"],
            ["기차", "기차 역", "있"],
            id="first occurrence",
        ),
        pytest.param(
            "역에서 기차 역까지 간다.",
            "역/NNG 에서/JKB 기차/NNG 역/NNG 까지/JX 간다/VV+EF ./SF",
            ["역", "기차역", "간다"],
            ["역", "기차 역", "간다"],
            id="empty slice",
        ),
        pytest.param(
            "나무 의자와 나무의자가 있다.",
            "나무/NNG 의자/NNG 와/JC 나무/NNG 의자/NNG 가/JKS 있/VV 다/EF ./SF",
            ["나무 의자", "있"],
            ["나무 의자", "나무의자", "있"],
            id="a chain that comes twice",
        ),
        pytest.param("큰 창문 앞.", "큰/VA+ETM 창문/NNG 앞/NNG ./SF", ["큰"], ["큰", "창문 앞"], id="open chain"),
        pytest.param("큰 창문", "큰/VA+ETM 창문/NNG", ["큰"], ["큰", "창문"], id="no full stop"),
        pytest.param(
            "나무 위에 새", "나무/NNG 위/NNG 에/JKB 새/NNG", ["나무 위"], ["나무 위", "새"], id="a noun at the end"
        ),
        pytest.param("고양이", "고양이/NNG", [], ["고양이"], id="one noun"),
        pytest.param("나무 의자 앞", "나무/NNG 의자/NNG 앞/NNG", [], ["나무 의자 앞"], id="one chain"),
        pytest.param("집에 간다", "집/NNG 에/JKB 간다/VV+EC", ["집"], ["집", "간다"], id="a verb at the end"),
        pytest.param(
            "문제에 대해 회의를 한다.",
            "문제/NNG 에/JKB 대해/VV+EC 회의/NNG 를/JKO 한다/VV+EF ./SF",
            ["문제", "회의", "한다"],
            ["문제", "회의", "한다"],
            id="대해",
        ),
        pytest.param(
            "문제 대해서 회의 대해 간다.",
            "문제/NNG 대해서/VV+EC 회의/NNG 대해/VV+EC 간다/VV+EF ./SF",
            ["문제", "회의", "간다"],
            ["문제", "회의", "간다"],
            id="대해 ends a chain",
        ),
        pytest.param(
            "개 개가 큰 큰 개 본다.",
            "개/NNG 개/NNG+JX 가/JKS 큰/VA+ETM 큰/VA+ETM 개/NNG 본다/VV+EF ./SF",
            ["개", "큰", "본다"],
            ["개 개", "큰", "개", "본다"],
            id="compound tags and repeats",
        ),
        pytest.param(
            "나 세 책 두 것만 더럽지 않고 아주 새 것이다.",
            "나/NP 세/MM 책/NNP 두/NR 것/NNB 만/JX 더럽/VA 지/EC 않/VX 고/EC 아주/MAG 그리고/MAJ 아/IC 새/MM 것/NNB "
            "이/VCP 다/EF ./SF",
            ["세", "더럽", "아주", "새"],
            ["세", "더럽", "아주", "새"],
            id="what is dropped",
        ),
        pytest.param("", "", [], [], id="no token"),
        pytest.param(".", "./SF", [], [], id="a full stop"),
    ],
)
def test_quirks(text: str, tagged: str, published: list[str], exact: list[str]) -> None:
    assert extract("published", text, tagged) == published
    assert extract("exact", text, tagged) == exact


def test_every_other_rule_keeps_the_noun_that_ends_a_phrase() -> None:
    texts = ["나무 위에 고양이", "고양이", "산과 고양이."]
    for rule in set(RULES) - {"published"}:
        assert [one[-1] for one in concepts_of(texts, rule)] == ["고양이"] * 3, rule


def test_free_morpheme_leaves_out_verbs_and_adjectives() -> None:
    tagged = "큰/VA+ETM 새/MM 기차/NNG 역/NNG 에/JKB 아주/MAG 빨리/MAG 간다/VV+EF ./SF"
    assert extract("free-morpheme", "큰 새 기차 역에 아주 빨리 간다.", tagged) == ["새", "기차 역", "아주", "빨리"]


def test_paper_takes_every_listed_tag_one_by_one() -> None:
    tagged = "누가/NP+JKS 기차/NNG 역/NNG 에/JKB 있/VX 고/EC 것/NNB 이/VCP 다/EF ./SF"
    assert extract("paper", "누가 기차 역에 있고 것이다.", tagged) == ["누가", "기차", "역", "있", "것", "이"]


def test_noun_verb_of_a_known_sentence() -> None:
    (concepts,) = concepts_of(["창문 앞에 작은 의자가 놓여 있다."], "noun-verb")
    assert concepts == ["창문", "앞", "작은", "의자", "놓여", "있다"]
    assert concepts_of([""], "noun-verb") == [[]]


@pytest.mark.parametrize(
    ("text", "tagged", "expected"),
    [
        (
            "거울이 방을 가로질러 이웃 방으로 들어간다.",
            "거울/NNG 이/JKS 방/NNG 을/JKO 가로지르/VV 어/EC 이웃/NNG 방/NNG 으로/JKB 들어가/VV ㄴ다/EF ./SF",
            ["거울", "방", "가로지르", "이웃 방", "들어가"],
        ),
        (
            "칙칙한 느낌으로 찾고 의자 집은 문의하려고 한다.",
            "칙칙하/VA ㄴ/ETM 느끼/VV ㅁ/ETM 으로/JKS 찾/VV 고/EC 의자/NNG 집/NNG 은/JX 문의/NNG "
            "하/XSN 려고/EC 하/VX ㄴ다/EF ./SF",
            ["칙칙하", "느끼", "찾", "의자 집", "문의"],
        ),
        (
            "매가 울타리 난간에 앉아 있다.",
            "매/VV 어/EC 가/VX 아/EC 울타리/NNG 난간/NNG 에/JKS 앉/VV 아/EC 있/VX 다/EF ./SF",
            ["매", "울타리 난간", "앉"],
        ),
    ],
    ids=["Komoran", "Hannanum", "Hannanum at the start"],
)
def test_exact_finds_chains_behind_base_forms(text: str, tagged: str, expected: list[str]) -> None:
    """Komoran, Hannanum and Kkma answer base forms (가로지르/VV 어/EC of 가로질러), which the text does not hold."""
    assert extract("exact", text, tagged) == expected


FORMS = st.sampled_from(["기차", "역", "기차역", "큰", "대해", "간다", "이"])
TAGS = st.sampled_from(["NNG", "NNG+JX", "NNP", "MM", "MAG", "VV", "VA+ETM", "VX", "JKS", "SF"])
TOKENS = st.lists(st.builds(Token, FORMS, TAGS), max_size=8)
GAPS = st.sampled_from(["", " ", "  "])


@pytest.mark.parametrize("one_sentence", [published, exact, free_morpheme, paper])
@settings(deadline=None)
@given(st.lists(st.tuples(TOKENS, GAPS), max_size=6))
def test_a_block_has_what_its_sentences_have_one_by_one(
    one_sentence: Callable[[str, list[Token]], list[str]], sentences: list[tuple[list[Token], str]]
) -> None:
    """Also of tokens that no tagger gives, in texts that run together."""
    tokens = [tagged for tagged, _ in sentences]
    texts = [gap.join(token.surface for token in tagged) for tagged, gap in sentences]
    wanted = [list(dict.fromkeys(one_sentence(*pair))) for pair in zip(texts, tokens, strict=True)]
    assert found_by(one_sentence.__name__.replace("_", "-"), texts, tokens) == wanted


@pytest.mark.parametrize("rule", list(RULES))
@settings(deadline=None)
@given(st.lists(st.text("가나다물 .기차역을 큰대해", max_size=20), max_size=5))
def test_concepts_are_distinct_and_none_is_empty(rule: str, texts: list[str]) -> None:
    found = concepts_of(texts, rule)
    assert len(found) == len(texts)
    assert all(concepts == list(dict.fromkeys(concepts)) and all(concepts) for concepts in found)


def test_concept_sets_of_lines_in_several_blocks() -> None:
    lines = [f" 개가  {'공' if number % 2 else '뼈'}을 문다 .\n" for number in range(BLOCK + 5)]
    found = list(concept_sets(lines, "published", "mecab"))
    assert len(found) == BLOCK + 5
    assert found[BLOCK + 1] == ("개가 공을 문다.", ["개", "공", "문다"])
    assert found[BLOCK + 2][0] == "개가 뼈을 문다."


def test_a_nul_counts_as_a_space() -> None:
    assert concepts_of(["개가\0공을 문다."]) == concepts_of(["개가 공을 문다."]) == [["개", "공", "문다"]]
