"""The noun and verb lemmas of a word form by lemminflect: its dictionary, and its rules for what that does not hold.

lemminflect is a dictionary of the NIH's SPECIALIST lexicon with rules, MIT, on numpy alone. It has been at 0.2.3 since
2022: the lexicon it holds does not age.
"""

from functools import lru_cache
from typing import NamedTuple

import lemminflect

from conceptloom.languages.english.words import FUNCTION_WORDS

FORMS = 1 << 18
"""How many word forms are remembered; a corpus of captions has fewer."""

_KINDS = ("NOUN", "VERB")


class Lemmas(NamedTuple):
    """The lemmas of a word form whatever stands beside it, sorted; a gerund (`skiing`) may be a noun besides."""

    certain: tuple[str, ...] = ()
    gerund: str = ""


@lru_cache(maxsize=FORMS)
def lemmas(word: str) -> Lemmas:
    """The lemmas of a word form in lower case; none of a function word.

    >>> lemmas("leaves").certain, lemmas("selfies").certain, lemmas("the").certain
    (('leaf', 'leave'), ('selfie', 'selfy'), ())
    >>> lemmas("skiing")
    Lemmas(certain=('ski',), gerund='skiing')
    """
    if word in FUNCTION_WORDS:
        return Lemmas()
    readings = lemminflect.getAllLemmas(word)
    found = {lemma for kind in _KINDS for lemma in readings.get(kind, ())}
    if not found:
        found = _by_rule(word, "NOUN") | _by_rule(word, "VERB")
    if not readings:
        found |= _unknown(word)
    if word.endswith("s") and readings.get("NOUN") == (word,):
        found |= _by_rule(word, "NOUN")  # jeans, politics: the dictionary has a plural only
    is_gerund = word.endswith("ing") and "VERB" in readings and word not in found
    return Lemmas(tuple(sorted(found)), word if is_gerund else "")


def noun_and_verb_lemmas(word: str) -> tuple[str, ...]:
    """The certain lemmas of a word that is a noun or a verb, or unknown; none of one that is only an adjective.

    >>> noun_and_verb_lemmas("convenient"), noun_and_verb_lemmas("doors")
    ((), ('door',))
    """
    readings = lemminflect.getAllLemmas(word)
    return () if readings and not any(kind in readings for kind in _KINDS) else lemmas(word).certain


def _by_rule(word: str, kind: str) -> set[str]:
    return set(lemminflect.getAllLemmasOOV(word, kind).get(kind, ()))


def _unknown(word: str) -> set[str]:
    """What a word that is in no dictionary may be besides: a singular as it is, or the plural of a noun in -ie."""
    if word.endswith("ies"):
        return {word[:-1]}
    return set() if word.endswith("s") else {word}
