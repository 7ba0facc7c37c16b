"""The Korean taggers, by name. None of them is imported before it is asked for."""

from conceptloom.languages.korean.taggers import kiwi, konlpy, mecab
from conceptloom.languages.korean.taggers.base import TAGGERS, Tagger, TaggerEntry, tagger

__all__ = ["TAGGERS", "Tagger", "TaggerEntry", "kiwi", "konlpy", "mecab", "tagger"]
