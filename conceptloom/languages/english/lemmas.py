"""The noun and verb lemmas of a word form by lemminflect: from its dictionary, or by its rules for unknown words.

lemminflect is the NIH's SPECIALIST lexicon with rules, under the MIT licence, and needs only numpy. It has been at
0.2.3 since 2022: its lexicon does not age.
"""

from functools import cache, lru_cache
from typing import NamedTuple, Protocol

from conceptloom.languages.english.words import FUNCTION_WORDS

FORMS = 1 << 18
"""How many word forms are cached; a corpus of captions has fewer."""

_KINDS = ("NOUN", "VERB")
Readings = dict[str, tuple[str, ...]]
"""The lemmas of a word form by part of speech (NOUN, VERB, AUX, ADJ, ADV), as in the dictionary."""


class _Lexicon(Protocol):
    """What is used of lemminflect."""

    def getAllLemmas(self, word: str) -> Readings: ...  # noqa: N802

    def getAllLemmasOOV(self, word: str, upos: str) -> Readings: ...  # noqa: N802


class Lemmas(NamedTuple):
    """The lemmas of a word form in any context, sorted; a gerund (`skiing`) may also be a noun."""

    certain: tuple[str, ...] = ()
    gerund: str = ""


@lru_cache(maxsize=FORMS)
def lemmas(word: str) -> Lemmas:
    """Returns the lemmas of a word form in lower case; none for a function word.

    >>> lemmas("leaves").certain, lemmas("selfies").certain, lemmas("the").certain
    (('leaf', 'leave'), ('selfie', 'selfy'), ())
    >>> lemmas("skiing")
    Lemmas(certain=('ski',), gerund='skiing')
    """
    if word in FUNCTION_WORDS:
        return Lemmas()
    readings = readings_of(word)
    found = {lemma for kind in _KINDS for lemma in readings.get(kind, ())}
    if not found:
        found = _by_rule(word, "NOUN") | _by_rule(word, "VERB")
    if not readings:
        found |= _unknown(word)
    if word.endswith("s") and readings.get("NOUN") == (word,):
        found |= _by_rule(word, "NOUN")  # jeans, politics: the dictionary has only the plural
    is_gerund = word.endswith("ing") and "VERB" in readings and word not in found
    return Lemmas(tuple(sorted(found)), word if is_gerund else "")


def readings_of(word: str) -> Readings:
    """Returns what the dictionary says of a word form in lower case; empty for a word that it lacks.

    >>> sorted(readings_of("light")), readings_of("snowboarder")
    (['ADJ', 'ADV', 'NOUN', 'VERB'], {})
    """
    return _lexicon().getAllLemmas(word)


def noun_and_verb_lemmas(word: str) -> tuple[str, ...]:
    """Returns the certain lemmas of a word that is a noun, a verb or unknown; none for one that is only an adjective.

    >>> noun_and_verb_lemmas("convenient"), noun_and_verb_lemmas("doors")
    ((), ('door',))
    """
    readings = readings_of(word)
    return () if readings and not any(kind in readings for kind in _KINDS) else lemmas(word).certain


@cache
def _lexicon() -> _Lexicon:
    """lemminflect, imported at the first word: it imports spaCy, where that is installed, which takes a second."""
    import lemminflect

    return lemminflect


def _by_rule(word: str, kind: str) -> set[str]:
    return set(_lexicon().getAllLemmasOOV(word, kind).get(kind, ()))


def _unknown(word: str) -> set[str]:
    """Returns further lemmas of a word that is not in the dictionary: itself, or the singular in -ie of a plural."""
    if word.endswith("ies"):
        return {word[:-1]}
    return set() if word.endswith("s") else {word}
