"""The analysers by lemminflect: the lemmas that a word likely stands for, or every noun and verb lemma that it has."""

from collections.abc import Iterable
from operator import itemgetter
from typing import Generic, NamedTuple, TypeVar

from conceptloom.languages.english.lemmas import FORMS, Lemmas, lemmas
from conceptloom.languages.english.readings import (
    MARGIN,
    NEVER,
    ReadingsTable,
    context_of,
    doubts,
    kind_of,
    readings_table,
)
from conceptloom.languages.english.words import is_verbal, words

Vocabulary = frozenset[str]
"""The concepts that may be found: single words in lower case."""


T = TypeVar("T")


class _ByForm(Generic[T]):
    """What is known of word forms; remembered, as a corpus has few of them."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._known: dict[str, T] = {}

    def matches(self, texts: list[str], tokens: list[list[str]] | None = None) -> list[list[tuple[str, ...]]]:
        """See `Analyser.matches`."""
        return list(map(self._sentence, map(words, texts) if tokens is None else tokens))

    def _sentence(self, sentence: list[str]) -> list[tuple[str, ...]]:
        raise NotImplementedError

    def _form(self, word: str) -> T:
        raise NotImplementedError

    def _look_up(self, word: str) -> T:
        if len(self._known) >= FORMS:
            self._known.clear()
        return self._known.setdefault(word, self._form(word))

    def _possible(self, found: Iterable[str]) -> tuple[str, ...]:
        """The lemmas that are in the vocabulary."""
        return tuple([lemma for lemma in found if lemma in self._vocabulary])


class LemmaAnalyser(_ByForm[Lemmas]):
    """Every noun and verb lemma of each word: 90,000 captions a second on one core, once the word forms are known.

    `building` is both `building` and `build`, and `red` a noun before any noun: right for asking whether a sentence
    has a given concept, too much for making concept sets (see LikelyAnalyser).
    """

    def _sentence(self, sentence: list[str]) -> list[tuple[str, ...]]:
        found = []
        for at, word in enumerate(sentence):
            certain, gerund = self._known.get(word) or self._look_up(word)
            found.append((*certain, gerund) if gerund and not is_verbal(sentence, at) else certain)
        return found

    def _form(self, word: str) -> Lemmas:
        certain, gerund = lemmas(word)
        return Lemmas(self._possible(certain), gerund if gerund in self._vocabulary else "")


Weighed = tuple[str, int]
"""A lemma, and how far it is above what it must reach, before the context is looked at."""

NOMINAL = frozenset(("D", "A", "AN"))
"""The kinds of words between which and a verb in -ing another word would stand: a (tall) building."""


class Form(NamedTuple):
    """What is known of a word form: its lemmas in the vocabulary, certain or in doubt, and its kind as a neighbour."""

    certain: tuple[str, ...]
    in_doubt: tuple[Weighed, ...]
    gerund: str
    kind: str


def _of_gerund(found: list[Weighed], gerund: str, verbal: bool, nominal: bool) -> list[Weighed]:
    """What is left of the lemmas of a form in -ing: no noun if it is a verb, only the noun if it likely is one."""
    if verbal:
        return [one for one in found if one[0] != gerund]
    noun = [one for one in found if one[0] == gerund]
    return noun if noun and nominal and noun[0] == max(found, key=itemgetter(1)) else found


class LikelyAnalyser(_ByForm[Form]):
    """The noun and verb lemmas that each word likely stands for (see `readings`).

    With `published`, some forms have the lemmas of the published sets instead, which no dictionary has (`specie`).
    """

    def __init__(self, vocabulary: Vocabulary, published: bool = False) -> None:
        super().__init__(vocabulary)
        self._table: ReadingsTable = readings_table()
        self._published = self._table.published if published else {}

    def _sentence(self, sentence: list[str]) -> list[tuple[str, ...]]:
        known = self._known
        forms = [known.get(word) or self._look_up(word) for word in sentence]
        found = [form.certain for form in forms]
        for at, form in enumerate(forms):
            if form.in_doubt:
                found[at] = self._likely(sentence, forms, at)
        return found

    def _likely(self, sentence: list[str], forms: list[Form], at: int) -> tuple[str, ...]:
        form = forms[at]
        context = context_of(forms, at)
        least = -self._table.of_context(context)
        found = [one for one in form.in_doubt if one[1] >= least]
        if form.gerund:
            found = _of_gerund(found, form.gerund, is_verbal(sentence, at), context.before in NOMINAL)
        if len(found) > 1:
            least = max(weight for _, weight in found) - MARGIN
            return tuple([lemma for lemma, weight in found if weight >= least])
        return (found[0][0],) if found else ()

    def _form(self, word: str) -> Form:
        kind = kind_of(word)
        if word in NEVER:
            return Form((), (), "", kind)
        if word in self._published:
            return Form(self._possible(self._published[word]), (), "", kind)
        doubted = doubts(word)
        if not doubted:
            return Form(self._possible(lemmas(word).certain), (), "", kind)
        weighed = ((doubt.lemma, self._table.of_form(word, doubt)) for doubt in doubted)
        in_doubt = tuple(one for one in weighed if one[0] in self._vocabulary)
        return Form((), in_doubt, word if word.endswith("ing") else "", kind)
