"""The Korean taggers, by name. None of their packages is imported before it is asked for."""

from conceptloom.languages.korean.taggers import kiwi, konlpy, mecab
from conceptloom.languages.korean.taggers.base import (
    TAGGERS,
    SentenceTagger,
    Tagger,
    TaggerEntry,
    tagger,
    tagger_signature,
)

__all__ = [
    "TAGGERS",
    "SentenceTagger",
    "Tagger",
    "TaggerEntry",
    "kiwi",
    "konlpy",
    "mecab",
    "tagger",
    "tagger_signature",
]
