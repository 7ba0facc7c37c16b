"""What preset `sound` knows of a language: how its metrics cut words, and the builder's own rule for concepts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from conceptloom.errors import ConfigError, InputError
from conceptloom.languages.english import analysers
from conceptloom.languages.korean import extract
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.taggers import tagger_signature
from conceptloom.metrics.base import Item
from conceptloom.metrics.measures import mecab_ko
from conceptloom.metrics.optional_imports import wanted

_HANGUL = re.compile("[가-힣]")


class Language(Protocol):
    """Made where it is used; nothing is loaded before it is asked for."""

    def tokens(self, texts: Sequence[str]) -> dict[str, list[str]]:
        """The tokens of each distinct text."""

    def concepts(self, texts: list[str], vocabulary: frozenset[str]) -> list[list[str]]:
        """The concepts of each text in the order in which they first stand in it; only `vocabulary`'s are wanted."""

    def token_parts(self) -> dict[str, object]:
        """For a signature: the tokenizer and its versions."""

    def concept_parts(self) -> dict[str, object]:
        """For a signature: the concept rule and what it is worked by."""

    def rouge_scorer(self, types: list[str]) -> Any:
        """rouge-score's scorer, on this language's words."""

    def rouge_parts(self) -> dict[str, object]:
        """For a signature: the words that ROUGE counts."""

    def check(self, items: Sequence[Item]) -> None:
        """Raises InputError where the references are plainly not in this language."""


@dataclass(frozen=True)
class Korean:
    """Morphemes by mecab-ko; concepts by a rule of `conceptloom.languages.korean.rules`.

    sacrebleu's own `ko-mecab` uses the same engine with another edition of the dictionary, whose package cannot be
    installed beside the builder's: one sentence of 36 is cut otherwise.
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

    def rouge_scorer(self, types: list[str]) -> Any:
        """See `Language`."""
        return wanted("rouge_score.rouge_scorer").RougeScorer(types, tokenizer=_Morphemes())

    def rouge_parts(self) -> dict[str, object]:
        """See `Language`."""
        return self.token_parts()

    def check(self, items: Sequence[Item]) -> None:
        """See `Language`."""
        if items and not any(_HANGUL.search(text) for item in items for text in item.references):
            raise InputError("no reference holds Hangul; for English, give the option language=en")


@dataclass(frozen=True)
class English:
    """Words as sacrebleu's 13a cuts them; for ROUGE, those of rouge-score with its stemmer; concepts by lemmas."""

    def tokens(self, texts: Sequence[str]) -> dict[str, list[str]]:
        """See `Language`."""
        return {text: self._13a(text).split() for text in dict.fromkeys(texts)}

    @cached_property
    def _13a(self) -> Any:
        return wanted("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()

    def concepts(self, texts: list[str], vocabulary: frozenset[str]) -> list[list[str]]:
        """See `Language`."""
        return analysers.concepts_of(texts, analysers.make_analyser(analysers.DEFAULT, vocabulary))

    def token_parts(self) -> dict[str, object]:
        """See `Language`."""
        return {"tok": "13a", "sacrebleu": wanted("sacrebleu").__version__}

    def concept_parts(self) -> dict[str, object]:
        """See `Language`."""
        parts = analysers.named_analyser(analysers.DEFAULT).signature()
        return {"rule": parts.pop("name"), **parts}

    def rouge_scorer(self, types: list[str]) -> Any:
        """See `Language`."""
        return wanted("rouge_score.rouge_scorer").RougeScorer(types, use_stemmer=True)

    def rouge_parts(self) -> dict[str, object]:
        """See `Language`."""
        return {"tok": "rouge-score", "stem": "porter"}

    def check(self, items: Sequence[Item]) -> None:
        """See `Language`."""
        korean = sum(any(map(_HANGUL.search, item.references)) for item in items)
        if 2 * korean > len(items):
            raise InputError("most references hold Hangul; for Korean, give the option language=ko")


def language(name: str, rule: str) -> Language:
    """The language of a code; raises ConfigError for one that is not supported, or a concept rule that is not."""
    if name == "ko":
        RULES[rule or "published"]  # raises for an unknown one
        return Korean(rule or "published")
    if name != "en":
        raise ConfigError(f"no language is called {name!r}; there are: en, ko")
    if rule:
        raise ConfigError("English has one concept rule; leave the option rule out")
    return English()


class _Morphemes:
    """The tokenizer that rouge-score is given."""

    def tokenize(self, text: str) -> list[str]:
        """The morphemes of a text."""
        return mecab_ko.morphemes([text])[text]
