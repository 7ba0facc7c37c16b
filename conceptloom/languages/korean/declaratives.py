"""Declaratives without their full stop (Korean CommonGen, section 3.1: sentences are unified to end in `다.`)."""

from dataclasses import dataclass

from conceptloom.languages.korean.sentences import split_sentences
from conceptloom.languages.korean.taggers import tagger
from conceptloom.languages.korean.tokens import Token

_ENDINGS = ("EC", "EF")
"""Without a full stop MeCab takes most final endings for connective ones (있/VX 다/EC)."""
_ACTION = ("VV", "VX", "XSV")
_STATES = frozenset(("있/VV", "있/VX", "계시/VV", "계시/VX", "맞/VV", "싶/VX", "않/VX", "못하/VX", "보/VX"))
_CODAS = 28
_BIEUP = 17


def is_declarative(tokens: list[Token]) -> bool:
    """Returns whether the last of a sentence's tokens is a declarative ending: 앉아 있다, 걸어간다, 이것은 책입니다.

    Not so: nouns (바다); propositives (갑시다); verbs without tense as in headlines (공을 잡다, where a finite sentence
    has 잡는다 or 잡았다), unless the verb tells of a state (있다, 싶다); and 판다 behind a word without a particle,
    which is a panda. A tagger that gives verbs no endings (konlpy-okt) finds none.
    """
    if not tokens or not tokens[-1].surface.endswith("다") or not tokens[-1].tag.endswith(_ENDINGS):
        return False
    last, before = tokens[-1], tokens[-2] if len(tokens) > 1 else Token("", "")
    if last.surface == "다" and before.tag in _ACTION:
        return str(before) in _STATES
    if last.surface == "판다":
        return before.tag.startswith("J")
    return not _is_propositive(last.surface)


def _is_propositive(surface: str) -> bool:
    """Whether a word ends in -ㅂ시다: 갑시다, 먹읍시다, but not 선생님이시다."""
    stem = surface.removesuffix("시다")
    return stem not in ("", surface) and (ord(stem[-1]) - ord("가")) % _CODAS == _BIEUP


@dataclass(frozen=True)
class CompleteSentences:
    """Splits a text into sentences; a declarative at its end that lacks a full stop gets one.

    `tagger` is named; it is asked about texts that end in 다 alone, which few do.
    """

    tagger: str = "mecab"

    def __call__(self, text: str) -> list[str]:
        """Returns the sentences of a normalised text.

        >>> CompleteSentences()("비가 온다. 우산이 놓여 있다")
        ['비가 온다.', '우산이 놓여 있다.']
        >>> CompleteSentences()("푸른 바다")
        ['푸른 바다']
        """
        sentences = split_sentences(text)
        if text.endswith("다") and is_declarative(tagger(self.tagger).tokens(sentences[-1:])[0]):
            sentences[-1] += "."
        return sentences
