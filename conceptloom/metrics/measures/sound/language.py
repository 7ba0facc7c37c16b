"""What preset `sound` knows about a language: how words are cut, and the rule of the data set for concepts."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from conceptloom.errors import ConfigError, InputError
from conceptloom.languages.english import analysers
from conceptloom.languages.korean import extract
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.taggers import tagger_signature
from conceptloom.metrics.base import Item
from conceptloom.metrics.measures import mecab_ko, rouge
from conceptloom.metrics.optional_imports import import_optional

_HANGUL = re.compile("[가-힣]")


class Language(Protocol):
    """A language. Nothing is loaded before it is needed."""

    def tokens(self, texts: Sequence[str]) -> dict[str, list[str]]:
        """The tokens of each distinct text."""

    def concepts(self, texts: list[str], vocabulary: frozenset[str]) -> list[list[str]]:
        """The concepts of each text in order of first occurrence; those outside `vocabulary` may be missing."""

    def token_parts(self) -> dict[str, object]:
        """For a signature: the tokenizer and its versions."""

    def concept_parts(self) -> dict[str, object]:
        """For a signature: the concept rule and the tagger or word list behind it."""

    def rouge_words(self, texts: Sequence[str]) -> dict[str, list[str]]:
        """The words of each distinct text that ROUGE counts."""

    def rouge_parts(self) -> dict[str, object]:
        """For a signature: the words that ROUGE counts."""

    def check(self, items: Sequence[Item]) -> None:
        """Raises InputError where the references are clearly in another language."""


@dataclass(frozen=True)
class Korean:
    """Morphemes by mecab-ko; concepts by a rule of `conceptloom.languages.korean.rules`.

    sacrebleu's own `ko-mecab` uses the same engine with another edition of the dictionary, whose package cannot be
    installed next to ours; it cuts one sentence of 36 differently.
    """

    rule: str = "published"
    tagger_name: str = "mecab"

    def tokens(self, texts: Sequence[str]) -> dict[str, list[str]]:
        """See `Language`."""
        return mecab_ko.morphemes(texts)

    def concepts(self, texts: list[str], vocabulary: frozenset[str]) -> list[list[str]]:
        """See `Language`."""
        return [list(dict.fromkeys(found)) for found in extract.concepts_of(texts, self.rule, self.tagger_name)]

    def token_parts(self) -> dict[str, object]:
        """See `Language`."""
        return dict(mecab_ko.signature())

    def concept_parts(self) -> dict[str, object]:
        """See `Language`."""
        parts = tagger_signature(self.tagger_name)
        return {"rule": self.rule, "tagger": parts.pop("name"), **parts}

    def rouge_words(self, texts: Sequence[str]) -> dict[str, list[str]]:
        """See `Language`."""
        return self.tokens(texts)

    def rouge_parts(self) -> dict[str, object]:
        """See `Language`."""
        return self.token_parts()

    def check(self, items: Sequence[Item]) -> None:
        """See `Language`."""
        if items and not any(_HANGUL.search(text) for item in items for text in item.references):
            raise InputError("no reference contains Hangul; for English, give the option language=en")


@dataclass(frozen=True)
class English:
    """Words by sacrebleu's tokenizer 13a; for ROUGE, those of rouge-score with its stemmer; concepts by lemmas."""

    def tokens(self, texts: Sequence[str]) -> dict[str, list[str]]:
        """See `Language`."""
        return {text: self._13a(text).split() for text in dict.fromkeys(texts)}

    @cached_property
    def _13a(self) -> Callable[[str], str]:
        tokenizer: Callable[[str], str] = import_optional("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()
        return tokenizer

    def concepts(self, texts: list[str], vocabulary: frozenset[str]) -> list[list[str]]:
        """See `Language`."""
        return analysers.concepts_of(texts, analysers.make_analyser(analysers.EVERY, vocabulary))

    def token_parts(self) -> dict[str, object]:
        """See `Language`."""
        return {"tok": "13a", "sacrebleu": import_optional("sacrebleu").__version__}

    def concept_parts(self) -> dict[str, object]:
        """See `Language`."""
        parts = analysers.named_analyser(analysers.EVERY).signature()
        return {"rule": parts.pop("name"), **parts}

    def rouge_words(self, texts: Sequence[str]) -> dict[str, list[str]]:
        """See `Language`."""
        return {text: rouge.words(text) for text in dict.fromkeys(texts)}

    def rouge_parts(self) -> dict[str, object]:
        """See `Language`."""
        return {"tok": "rouge-score", "stem": "porter"}

    def check(self, items: Sequence[Item]) -> None:
        """See `Language`."""
        korean = sum(any(map(_HANGUL.search, item.references)) for item in items)
        if 2 * korean > len(items):
            raise InputError("most references contain Hangul; for Korean, give the option language=ko")


def language(name: str, rule: str) -> Language:
    """The language with that code; raises ConfigError for a language or a concept rule that is not supported."""
    if name == "ko":
        RULES[rule or "published"]  # raises for an unknown one
        return Korean(rule or "published")
    if name != "en":
        raise ConfigError(f"no language is called {name!r}; there are: en, ko")
    if rule:
        raise ConfigError("English has one concept rule; omit the option rule")
    return English()
