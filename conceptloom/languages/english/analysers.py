"""The concepts of English sentences: the lemmas of nouns and verbs that a vocabulary holds (CommonGen, section 3.1)."""

from importlib.metadata import version
from typing import Any, Protocol

from conceptloom.errors import ConfigError
from conceptloom.languages.english.lemmas import FORMS, Lemmas, lemmas
from conceptloom.languages.english.words import is_verbal, words

Vocabulary = frozenset[str]
"""The concepts that may be found: single words in lower case."""

DEFAULT = "lemma"
SUMMARIES = {
    "lemma": "noun and verb lemmas by lemminflect, every reading of a word",
    "spacy:MODEL": "nouns and verbs as a spaCy model tags them (extra `spacy`, and the model)",
}
"""The analysers that can be named, with a line each."""


class Analyser(Protocol):
    """Finds concepts in sentences. Made in the process that uses it; never pickled."""

    def matches(self, texts: list[str]) -> list[list[tuple[str, ...]]]:
        """For each word of each sentence, in order, the concepts it may stand for."""

    def signature(self) -> dict[str, str]:
        """Name and versions: what a stage's manifest keeps, so that another dictionary means another build."""


def make_analyser(name: str, vocabulary: Vocabulary) -> Analyser:
    """The analyser of a name; raises ConfigError for an unknown one, or where spaCy or its model is not installed."""
    kind, _, model = name.partition(":")
    if name == DEFAULT:
        return LemmaAnalyser(vocabulary)
    if kind == "spacy" and model:
        return SpacyAnalyser(model, vocabulary)
    raise ConfigError(f"no analyser is called {name!r}; there are: {', '.join(SUMMARIES)}")


def concepts_of(texts: list[str], analyser: Analyser) -> list[list[str]]:
    """The distinct concepts of each sentence, in the order in which they first stand in it."""
    return [list(dict.fromkeys(c for word in sentence for c in word)) for sentence in analyser.matches(texts)]


class LemmaAnalyser:
    """Every noun and verb lemma of each word: 90,000 captions a second on one core, once the word forms are known.

    Without a tagger `building` is both `building` and `build`; benchmarks/english_analysis.py measures how much this
    adds.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._known: dict[str, Lemmas] = {}

    def matches(self, texts: list[str]) -> list[list[tuple[str, ...]]]:
        """See `Analyser.matches`."""
        return [self._sentence(words(text)) for text in texts]

    def signature(self) -> dict[str, str]:
        """The version of lemminflect."""
        return {"name": "lemma", "lemminflect": version("lemminflect")}

    def _sentence(self, sentence: list[str]) -> list[tuple[str, ...]]:
        found = []
        for at, word in enumerate(sentence):
            certain, gerund = self._known.get(word) or self._look_up(word)
            found.append((*certain, gerund) if gerund and not is_verbal(sentence, at) else certain)
        return found

    def _look_up(self, word: str) -> Lemmas:
        """The lemmas of a word form that are in the vocabulary; remembered, as a corpus has few forms."""
        certain, gerund = lemmas(word)
        kept = tuple(lemma for lemma in certain if lemma in self._vocabulary)
        if len(self._known) >= FORMS:
            self._known.clear()
        return self._known.setdefault(word, Lemmas(kept, gerund if gerund in self._vocabulary else ""))


class SpacyAnalyser:
    """The lemmas of nouns, proper nouns and verbs as a spaCy model tags them: one concept a word at most.

    A neural model's tags may differ with the processor's arithmetic; the lemma analyser's never do.
    """

    TAGS = frozenset(("NOUN", "PROPN", "VERB"))

    def __init__(self, model: str, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._spacy = _load(model)

    def matches(self, texts: list[str]) -> list[list[tuple[str, ...]]]:
        """See `Analyser.matches`. Raises ConfigError where the model gives no tags or no lemmas."""
        return [[self._word(token) for token in document] for document in self._spacy.pipe(texts)]

    def signature(self) -> dict[str, str]:
        """The versions of spaCy and of the model."""
        meta = self._spacy.meta
        model = f"{meta['lang']}_{meta['name']} {meta['version']}"
        return {"name": "spacy", "spacy": version("spacy"), "model": model}

    def _word(self, token: Any) -> tuple[str, ...]:
        lemma = token.lemma_.lower()
        return (lemma,) if token.pos_ in self.TAGS and lemma in self._vocabulary else ()


def _load(model: str) -> Any:
    try:
        import spacy
    except ModuleNotFoundError:
        raise ConfigError(f"the analyser spacy:{model} wants spaCy: pip install 'conceptloom[spacy]'") from None
    try:
        loaded = spacy.load(model, exclude=["ner"])
    except OSError as error:
        cure = f"python -m spacy download {model}, or give the path of a model's folder"
        raise ConfigError(f"the analyser spacy:{model}: spaCy finds no such model ({error}); {cure}") from None
    probe = loaded("Dogs ran.")[0]
    if not probe.pos_ or not probe.lemma_:
        missing = "tags (pos)" if not probe.pos_ else "lemmas"
        raise ConfigError(f"the analyser spacy:{model}: this model gives no {missing}; name one with a tagger")
    return loaded
