"""Taggers: known sentences, agreement with each other, Sejong tags of all of them, and what is missing said plainly."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.errors import ConfigError
from conceptloom.languages.korean.taggers import TAGGERS, tagger, tagger_signature
from conceptloom.languages.korean.taggers.kiwi import merge_overlaps, sejong_tag
from conceptloom.languages.korean.taggers.mecab import parse_line
from conceptloom.languages.korean.tokens import Token

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "ko" / "published"
SAMPLES = ROOT / "conceptloom" / "samples" / "captions_ko.json"
JAVA = ("konlpy-okt", "konlpy-komoran", "konlpy-kkma", "konlpy-hannanum")
TAGS = "NNG NNP NNB NNBC NR NP VV VA VX VCP VCN MM MAG MAJ IC JKS JKC JKG JKO JKB JKV JKQ JX JC EP EF EC ETN ETM "
TAGS += "XPN XSN XSV XSA XR SF SP SS SSO SSC SE SO SC SY SW SL SH SN UNKNOWN"
SEJONG = frozenset(TAGS.split())
"""Sejong tags, with those that mecab-ko-dic adds (NNBC, SSO, SSC, SC, SY, UNKNOWN)."""
SENTENCES = [
    "작은 개가 공원에서 공을 쳤다.",
    "누가 창문 앞에 놓여 있다.",
    "수익을 못낸 것에 대해 아쉬워하고 있다.",
    "두 사람이 프리스비를 하고 있다.",
]
"""Among their tags are Okt's VerbPrefix (못) and Komoran's NA (프리스비를)."""
needs_konlpy = pytest.mark.skipif(find_spec("konlpy") is None, reason="wants pip install 'conceptloom[konlpy]'")
needs_kiwi = pytest.mark.skipif(find_spec("kiwipiepy") is None, reason="wants pip install 'conceptloom[kiwi]'")
TAG_ALL = """
import json, sys
from conceptloom.languages.korean.taggers import TAGGERS
tokens = TAGGERS[sys.argv[1]].make().tag(json.loads(sys.argv[2]))
print(json.dumps([[[token.surface, token.tag] for token in sentence] for sentence in tokens]))
"""


def sentences(count: int) -> list[str]:
    """Published sentences; of the sample captions where there are none."""
    if not DATA.is_dir():
        return [text for record in json.loads(SAMPLES.read_text()) for text in record["caption_ko"] or ()][:count]
    files = [(DATA / name).open(encoding="utf-8") for name in ("captions.jsonl", "dialogue_summaries.jsonl")]
    return [json.loads(line)["scene"] for lines in zip(*files, strict=False) for line in lines][:count]


def shown(tokens: Iterable[Token]) -> str:
    return " ".join(map(repr, tokens))


def test_mecab_on_known_sentences() -> None:
    assert [shown(tokens) for tokens in tagger("mecab").tag(SENTENCES[:2])] == [
        "작/VA 은/ETM 개/NNG 가/JKS 공원/NNG 에서/JKB 공/NNG 을/JKO 쳤/VV+EP 다/EF ./SF",
        "누가/NP+JKS 창문/NNG 앞/NNG 에/JKB 놓여/VV+EC 있/VX 다/EF ./SF",
    ]


def test_mecab_gives_the_content_morphemes_of_inflected_tokens() -> None:
    (tokens,) = tagger("mecab").tag(["큰 창문 앞에 놓여 있다."])
    assert [form for token in tokens for form in token.morphemes] == ["크/VA", "창문/NNG", "앞/NNG", "놓이/VV"]


@pytest.mark.parametrize("text", ["", " ", "😀 웃는다.", "a,b 간다.", "EOS 다.", "가/나+다.", "ㄱ é 漢 1"])
def test_mecab_keeps_every_character(text: str) -> None:
    (tokens,) = tagger("mecab").tag([text])
    assert "".join(token.surface for token in tokens) == text.replace(" ", "")


@settings(deadline=None)
@given(st.lists(st.text("가나다는을 .,a1")))
def test_mecab_tags_sentences_by_themselves(texts: list[str]) -> None:
    mecab = tagger("mecab")
    together = mecab.tag(texts)
    assert list(map(shown, together)) == [shown(mecab.tag([text])[0]) for text in texts]
    assert list(together) == mecab.tokens(texts)
    assert ["".join(token.surface for token in one) for one in together] == [text.replace(" ", "") for text in texts]


def test_lines_of_mecabs_output() -> None:
    assert repr(parse_line(",\tSC,*,*,*,*,*,*,*")) == ",/SC"
    assert parse_line("쳤\tVV+EP,*,T,쳤,Inflect,VV,EP,치/VV/*+었/EP/*").morphemes == ("치/VV",)
    assert parse_line("핫도그\tNNG,음식,F,핫도그,Compound,*,*,핫/NNG/*+도그/NNG/*").morphemes == ("핫도그/NNG",)
    assert repr(parse_line("뷁\tUNKNOWN")) == "뷁/UNKNOWN"


@pytest.mark.parametrize(
    ("name", "module", "dictionary"),
    [
        ("mecab", "MeCab", "python-mecab-ko-dic"),
        ("kiwi", "kiwipiepy", "kiwipiepy_model"),
        ("konlpy-mecab", "konlpy", "python-mecab-ko-dic"),
    ],
)
@pytest.mark.slow
def test_signatures_name_the_tagger_and_its_dictionary(name: str, module: str, dictionary: str) -> None:
    """Another dictionary means another build: its version must be in the signature."""
    pytest.importorskip(module, reason=f"wants the extra of the tagger {name}")
    signature = tagger(name).signature()
    assert signature["name"] == name
    assert dictionary in signature


@pytest.mark.parametrize(
    ("name", "module"),
    [("mecab", "MeCab"), ("kiwi", "kiwipiepy"), ("konlpy-mecab", "konlpy"), ("konlpy-okt", "konlpy")],
)
def test_a_signature_opens_no_tagger(name: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(module, reason=f"wants the extra of the tagger {name}")
    monkeypatch.setattr(shutil, "which", lambda *_: "/usr/bin/java")
    monkeypatch.setitem(sys.modules, module, None)
    assert tagger_signature(name)["name"] == name


def test_the_signature_of_a_tagger_that_is_not_installed_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr("conceptloom.languages.korean.taggers.base.version", absent)
    with pytest.raises(ConfigError, match=r"the tagger kiwi needs kiwipiepy: pip install 'conceptloom\[kiwi\]'"):
        tagger_signature("kiwi")
    monkeypatch.setattr(shutil, "which", lambda *_: None)
    with pytest.raises(ConfigError, match="konlpy-okt runs in Java"):
        tagger_signature("konlpy-okt")


def test_a_process_has_one_tagger_of_a_name() -> None:
    assert tagger("mecab") is tagger("mecab")
    with pytest.raises(ConfigError, match="no tagger is called 'okt'; there are: kiwi"):
        tagger("okt")


@needs_konlpy
def test_konlpy_mecab_agrees_with_mecab() -> None:
    texts = sentences(300)
    assert len(texts) == 300
    assert list(map(shown, tagger("konlpy-mecab").tag(texts))) == list(map(shown, tagger("mecab").tag(texts)))


@needs_kiwi
@pytest.mark.slow
def test_kiwi_keeps_every_character_and_tags_in_sejong() -> None:
    texts = [*sentences(300), "😀 웃는다.", "할 수 있다.", ""]
    assert list(tagger("kiwi").tag(texts)) == tagger("kiwi").tokens(texts)
    for text, tokens in zip(texts, tagger("kiwi").tag(texts), strict=True):
        assert "".join(token.surface for token in tokens).replace(" ", "") == text.replace(" ", "")
        assert {part for token in tokens for part in token.tag.split("+")} <= SEJONG


@needs_kiwi
@pytest.mark.slow
def test_kiwi_gives_no_empty_token() -> None:
    """Kiwi restores elided morphemes (이/VCP of 개그라며) at a place without characters."""
    texts = ["아저씨 개그라며 썰렁하다고 하였다.", "다른 말이 도록 아니냐 한다.", *sentences(300)]
    for text, tokens in zip(texts, tagger("kiwi").tag(texts), strict=True):
        assert all(token.surface for token in tokens), text


@needs_kiwi
@pytest.mark.slow
def test_kiwi_on_a_known_sentence() -> None:
    (tokens,) = tagger("kiwi").tag(["작은 개가 공을 쳤다."])
    assert shown(tokens) == "작/VA 은/ETM 개/NNG 가/JKS 공/NNG 을/JKO 쳤/VV+EP 다/EF ./SF"
    assert [form for token in tokens for form in token.morphemes] == ["작/VA", "개/NNG", "공/NNG", "치/VV"]


def test_kiwis_pieces_that_share_characters_are_one_token() -> None:
    pieces = [("하", "VV", 0, 1), ("ᆫ다", "EF", 0, 2), (".", "SF", 2, 3)]
    assert shown(merge_overlaps("한다.", pieces)) == "한다/VV+EF ./SF"
    assert merge_overlaps("", []) == []
    assert [sejong_tag(tag) for tag in ("VV-I", "NNG", "W_URL", "Z_CODA")] == ["VV", "NNG", "SW", "SW"]


@pytest.mark.parametrize("name", JAVA)
def test_without_java_the_error_says_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_: None)
    with pytest.raises(ConfigError, match=f"{name} .*Java"):
        TAGGERS[name].make()


@pytest.mark.parametrize("name", [*JAVA, "konlpy-mecab"])
def test_without_konlpy_the_error_names_the_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [module for module in sys.modules if module.partition(".")[0] == "konlpy"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "konlpy", None)
    monkeypatch.setattr(shutil, "which", lambda *_: "/usr/bin/java")
    with pytest.raises(ConfigError, match=rf"{name} needs konlpy(\.tag)?: pip install 'conceptloom\[konlpy\]'"):
        TAGGERS[name].make()


def test_without_kiwi_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kiwipiepy", None)
    with pytest.raises(ConfigError, match=r"pip install 'conceptloom\[kiwi\]'"):
        TAGGERS["kiwi"].make()


@pytest.fixture(scope="module")
def java_tokens() -> dict[str, list[list[list[str]]]]:
    """What each tagger in Java answers, asked at once and in processes of their own (Kkma takes 10 s to start)."""
    if find_spec("konlpy") is None or shutil.which("java") is None:
        pytest.skip("konlpy or Java is not installed")
    command = [sys.executable, "-c", TAG_ALL]
    texts = json.dumps(SENTENCES)
    where: dict[str, Any] = {"stdout": subprocess.PIPE, "cwd": tempfile.gettempdir()}
    started = [subprocess.Popen([*command, name, texts], **where) for name in JAVA]
    return {name: json.loads(one.communicate(timeout=120)[0]) for name, one in zip(JAVA, started, strict=True)}


@pytest.mark.parametrize("name", JAVA)
@pytest.mark.slow
def test_taggers_in_java_give_sejong_tags(name: str, java_tokens: dict[str, list[list[list[str]]]]) -> None:
    tokens = java_tokens[name]
    assert len(tokens) == len(SENTENCES)
    assert all(tokens)
    assert {tag for sentence in tokens for _, tag in sentence} <= SEJONG
    assert ["공원", "NNG"] in tokens[0]
    assert tokens[0][-1] == [".", "SF"]
    assert any(tag.startswith("VV") for _, tag in tokens[0])


@needs_konlpy
@pytest.mark.parametrize("name", JAVA)
def test_every_tag_that_konlpy_lists_has_a_sejong_tag(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tag that others of the list begin with (Hannanum's N of NC) is a heading: no tagger answers it."""
    import konlpy

    tagset = name.removeprefix("konlpy-").replace("okt", "twitter")
    path = Path(konlpy.__file__).parent / "data" / "tagset" / f"{tagset}.json"
    listed = list(json.loads(path.read_text(encoding="utf-8")))
    leaves = [tag for tag in listed if not any(other != tag and other.startswith(tag) for other in listed)]
    backend = SimpleNamespace(pos=lambda text, **options: [(tag, tag) for tag in leaves])
    monkeypatch.setattr("conceptloom.languages.korean.taggers.konlpy._with_java", lambda _: backend)
    (tokens,) = TAGGERS[name].make().tag([""])
    assert [token for token in tokens if token.tag not in SEJONG] == []
