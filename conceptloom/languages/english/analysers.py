"""The concepts of English sentences: the lemmas of nouns and verbs that a vocabulary holds (CommonGen, section 3.1)."""

import importlib.util
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Protocol

from conceptloom.errors import ConfigError
from conceptloom.languages.english.lemma_analysers import LemmaAnalyser, LikelyAnalyser, Vocabulary
from conceptloom.languages.english.readings import readings_table

DEFAULT = "lemma"
EVERY = "lemma:every"
"""For asking whether a sentence has a given concept: in doubt it has."""
PUBLISHED = "lemma:published"
SUMMARIES = {
    DEFAULT: "noun and verb lemmas by lemminflect, those that a word likely stands for in its sentence",
    PUBLISHED: "the same, with the published sets' own lemmas where no dictionary has them (species: specie)",
    EVERY: "noun and verb lemmas by lemminflect, every one that a word has",
    "spacy:MODEL": "nouns and verbs as a spaCy model tags them (extra `spacy`, and the model)",
}
"""The analysers that can be named, with a line each."""


class Analyser(Protocol):
    """Finds concepts in sentences. Opened in the process that uses it; never pickled."""

    def matches(self, texts: list[str], tokens: list[list[str]] | None = None) -> list[list[tuple[str, ...]]]:
        """Returns for each word of each sentence, in order, the concepts that it may stand for.

        `tokens` are the `words` of each sentence, from who has them: an analyser without a tokeniser of its own need
        not find them again.
        """


class AnalyserOptions(Protocol):
    """An analyser as its name says: a frozen dataclass of its options."""

    def signature(self) -> dict[str, str]:
        """Returns name and versions: what a stage's manifest keeps, so that another dictionary means another build.

        Opens nothing. Raises ConfigError where a package or a model is missing.
        """

    def open(self, vocabulary: Vocabulary) -> Analyser:
        """Returns the analyser; raises ConfigError where what it needs is missing or unfit."""


def named_analyser(name: str) -> AnalyserOptions:
    """Returns the analyser of a name, not opened; raises ConfigError for an unknown one."""
    kind, _, model = name.partition(":")
    if name in (DEFAULT, PUBLISHED, EVERY):
        return LemmaOptions(model)
    if kind == "spacy" and model:
        return SpacyOptions(model)
    raise ConfigError(f"no analyser is called {name!r}; there are: {', '.join(SUMMARIES)}")


def make_analyser(name: str, vocabulary: Vocabulary) -> Analyser:
    """Returns the opened analyser of a name; raises ConfigError as `named_analyser` and `AnalyserOptions.open` do."""
    return named_analyser(name).open(vocabulary)


def concepts_of(texts: list[str], analyser: Analyser) -> list[list[str]]:
    """Returns the distinct concepts of each sentence, in the order of their first occurrence."""
    return [distinct(sentence) for sentence in analyser.matches(texts)]


def distinct(matches: Iterable[tuple[str, ...]]) -> list[str]:
    """Returns the concepts for which the words of a sentence stand, each once, in the order of their occurrence."""
    return list(dict.fromkeys(concept for word in matches for concept in word))


@dataclass(frozen=True)
class LemmaOptions:
    """An analyser by lemminflect: of likely readings, of these with the published sets' own lemmas, or of every one."""

    kind: str = ""

    def signature(self) -> dict[str, str]:
        """See AnalyserOptions: the version of lemminflect, and the table of readings, where one is used."""
        own = {"name": "lemma", "lemminflect": version("lemminflect")}
        if self.kind == "every":
            return own
        return {**own, "readings": f"{self.kind or 'likely'} {readings_table().digest}"}

    def open(self, vocabulary: Vocabulary) -> "LemmaAnalyser | LikelyAnalyser":
        """See AnalyserOptions."""
        if self.kind == "every":
            return LemmaAnalyser(vocabulary)
        return LikelyAnalyser(vocabulary, published=self.kind == "published")


@dataclass(frozen=True)
class SpacyOptions:
    """A spaCy model by the name of its package, or by the path of its folder."""

    model: str

    def signature(self) -> dict[str, str]:
        """See AnalyserOptions: the versions of spaCy and of the model, from their metadata."""
        meta = self._meta()
        # As spaCy itself fills what a model does not say.
        model = f"{meta['lang']}_{meta.get('name', 'pipeline')} {meta.get('version', '0.0.0')}"
        return {"name": "spacy", "spacy": self._spacy_version(), "model": model}

    def open(self, vocabulary: Vocabulary) -> "SpacyAnalyser":
        """See AnalyserOptions. Raises ConfigError for a model that gives no tags or no lemmas."""
        return SpacyAnalyser(self._load(), vocabulary)

    def _spacy_version(self) -> str:
        try:
            return version("spacy")
        except PackageNotFoundError:
            raise self._without_spacy() from None

    def _meta(self) -> Mapping[str, str]:
        self._spacy_version()
        try:
            found: dict[str, str] = json.loads((_folder(self.model) / "meta.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise self._without_model(error) from None
        return found

    def _load(self) -> "_Pipeline":
        try:
            import spacy
        except ModuleNotFoundError:
            raise self._without_spacy() from None
        try:
            loaded: _Pipeline = spacy.load(self.model, exclude=["ner"])
        except OSError as error:
            raise self._without_model(error) from None
        ((probe, *_),) = loaded.pipe(["Dogs ran."])
        if not probe.pos_ or not probe.lemma_:
            missing = "tags (pos)" if not probe.pos_ else "lemmas"
            raise ConfigError(f"the analyser spacy:{self.model}: this model gives no {missing}; name one with a tagger")
        return loaded

    def _without_spacy(self) -> ConfigError:
        return ConfigError(f"the analyser spacy:{self.model} needs spaCy: pip install 'conceptloom[spacy]'")

    def _without_model(self, error: Exception) -> ConfigError:
        cure = f"python -m spacy download {self.model}, or give the path of a model's folder"
        return ConfigError(f"the analyser spacy:{self.model}: spaCy finds no such model ({error}); {cure}")


def _folder(model: str) -> Path:
    """Returns where spaCy looks for a model: in the package of that name, else at that path. Imports nothing."""
    found = importlib.util.find_spec(model) if model.isidentifier() else None
    return Path(found.origin).parent if found and found.origin else Path(model)


class _SpacyToken(Protocol):
    pos_: str
    lemma_: str


class _Pipeline(Protocol):
    """A spacy.Language, which has no types here."""

    def pipe(self, texts: Iterable[str]) -> Iterator[Iterable[_SpacyToken]]:
        """Returns the tagged documents."""


class SpacyAnalyser:
    """The lemmas of nouns, proper nouns and verbs as a spaCy model tags them: one concept a word at most.

    A neural model's tags may differ with the processor's arithmetic; the lemma analyser's never do.
    """

    TAGS = frozenset(("NOUN", "PROPN", "VERB"))

    def __init__(self, pipeline: _Pipeline, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._pipeline = pipeline

    def matches(self, texts: list[str], tokens: list[list[str]] | None = None) -> list[list[tuple[str, ...]]]:
        """See `Analyser.matches`."""
        return [[self._word(token) for token in document] for document in self._pipeline.pipe(texts)]

    def _word(self, token: _SpacyToken) -> tuple[str, ...]:
        lemma = token.lemma_.lower()
        return (lemma,) if token.pos_ in self.TAGS and lemma in self._vocabulary else ()
