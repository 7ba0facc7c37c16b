"""Which lemmas a word likely stands for in its sentence: a table learnt from the published sets of CommonGen.

A published set holds two thirds of the nouns and verbs of its sentence and next to none of its adjectives. So the sets
tell how often a lemma of a word form was meant (`leaves`: leaf or leave), and between which neighbours: `red` is a
concept in `painted red`, none in `a red car`. The table has the weights of a logistic regression, which
scripts/english_readings.py fits; forms that the published captions lack are judged by their class and neighbours alone.

Only forms in doubt are judged: those that the dictionary also calls adjective or adverb or does not have at all, and
those of several lemmas.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import NamedTuple, Protocol

from conceptloom.languages.english.lemmas import lemmas, readings_of
from conceptloom.languages.english.words import BE, FUNCTION_WORDS, listed

TABLE = "readings.tsv"
"""The table's file: part, key, second key, weight in hundredths of log-odds."""

EDGE = "."
"""The kind of what is before the first word of a sentence and behind its last."""
JOINS = "C"
"""The kind of `and`, `or`, `but`: then the word behind it tells too."""

_LETTERS = {"ADJ": "A", "ADV": "A", "NOUN": "N", "VERB": "V", "AUX": "V"}
_CLOSED = {
    "D": "a an the this that these those my your his her its our their whose no each every either some any all both "
    "many several much another such more most",
    JOINS: "and or but nor",
    "M": "to can could will would may might must should",
    "P": "of in for with on at from by about as into through after over between against during without before under "
    "around among across along behind below beneath beside besides beyond off onto toward towards up upon down since "
    "until till within amid than out near like inside outside",
}
_KINDS = {
    **dict.fromkeys(FUNCTION_WORDS, "F"),
    **dict.fromkeys(BE, "B"),
    **{word: kind for kind, listed in _CLOSED.items() for word in listed.split()},
}

NEVER = listed(
    """
    near inside outside someone somebody something anyone anybody anything
    one two three four five six seven eight nine ten eleven twelve
    """
)
"""Words that are closed-class wherever captions have them: `SOMEONE` is every person in LSMDC's."""


MARGIN = 300
"""A lemma that is this much less likely than another of the same word, twenty times, is not meant."""


ENDINGS = ("ing", "ed", "able", "ible", "al", "ic", "ous", "ful", "ive", "less", "ish", "ese", "an", "ary", "ent", "y")
"""Endings by which a class is told further: adjectives that no table has (visible, asian) have them."""


class Doubt(NamedTuple):
    """A lemma of a word form that may not be meant, and its class: what unknown forms are judged by."""

    lemma: str
    cls: str


class Context(NamedTuple):
    """The kinds of the words before and behind a word, and of the word behind a conjunction behind it, if any."""

    before: str
    behind: str
    beyond: str


def kind_of(word: str) -> str:
    """Returns the kind of a word as a neighbour: a closed class, or the letters of its readings; `?` for unknown ones.

    >>> [kind_of(word) for word in ("the", "and", "red", "dog", "serious", "run", "snowboarder")]
    ['D', 'C', 'AN', 'NV', 'A', 'NV', '?']
    """
    return _KINDS.get(word) or "".join(sorted({_LETTERS[one] for one in readings_of(word) if one in _LETTERS})) or "?"


class HasKind(Protocol):
    """A word form of which the kind is known."""

    @property
    def kind(self) -> str:
        """See `kind_of`."""


def context_of(sentence: Sequence[HasKind], at: int) -> Context:
    """Returns the context of a place in a sentence."""
    last = len(sentence) - 1
    before = sentence[at - 1].kind if at else EDGE
    behind = sentence[at + 1].kind if at < last else EDGE
    if behind != JOINS:
        return Context(before, behind, "")
    return Context(before, behind, sentence[at + 2].kind if at + 1 < last else EDGE)


def doubts(word: str) -> tuple[Doubt, ...]:
    """Returns the lemmas of a word form that are in doubt, sorted: all that it has, or none.

    >>> doubts("dogs"), [doubt.lemma for doubt in doubts("leaves")]
    ((), ['leaf', 'leave'])
    """
    certain, gerund = lemmas(word)
    every = (*certain, *filter(None, [gerund]))
    readings = readings_of(word)
    if len(every) < 2 and readings and not {"ADJ", "ADV"} & readings.keys():
        return ()
    return tuple(Doubt(lemma, _class(word, lemma)) for lemma in sorted(every))


def _class(word: str, lemma: str) -> str:
    """The letters of the form, those of the readings that have the lemma, and how the form looks."""
    readings = readings_of(word)
    roles = "".join(one.lower()[0] for one in ("NOUN", "VERB") if lemma in readings.get(one, ()))
    ending = next((ending for ending in ENDINGS if word.endswith(ending)), "")
    return " ".join((kind_of(word), roles or "-", "same" if word == lemma else "other", ending or "-"))


class ReadingsTable(NamedTuple):
    """The weights, in hundredths of log-odds; what a table lacks weighs nothing."""

    least: int
    """The sum that a lemma must reach to be meant."""
    forms: dict[tuple[str, str], int]
    """By word form and lemma."""
    classes: dict[str, int]
    before: dict[str, int]
    behind: dict[str, int]
    beyond: dict[str, int]
    published: dict[str, tuple[str, ...]]
    """The lemmas that the published sets have of a form where no dictionary has them: `specie` of species."""
    digest: str
    """A hash of the file."""

    def of_form(self, word: str, doubt: Doubt) -> int:
        """Returns how far a lemma is above what it must reach, before its context is looked at."""
        return self.forms.get((word, doubt.lemma), 0) + self.classes.get(doubt.cls, 0) - self.least

    def of_context(self, context: Context) -> int:
        """Returns what the neighbours add."""
        before, behind, beyond = context
        return self.before.get(before, 0) + self.behind.get(behind, 0) + self.beyond.get(beyond, 0)


@cache
def readings_table() -> ReadingsTable:
    """Returns the table that the package has."""
    data = (files(__package__) / "data" / TABLE).read_bytes()
    return decode_table(data)


def decode_table(data: bytes) -> ReadingsTable:
    """Returns a table from the bytes of its file (see TABLE); lines that begin with # are comments."""
    lines = [line.split("\t") for line in data.decode().splitlines() if not line.startswith("#")]
    weights: dict[str, dict[str, int]] = {part: {} for part in ("least", "class", "before", "behind", "beyond")}
    for name, key, _, weight in lines:
        if name in weights:
            weights[name][key] = int(weight)
    forms = {(form, lemma): int(weight) for name, form, lemma, weight in lines if name == "form"}
    published: dict[str, tuple[str, ...]] = {}
    for name, form, lemma, _ in lines:
        if name == "published":
            published[form] = (*published.get(form, ()), *filter(None, [lemma]))
    digest = blake2b(data, digest_size=8).hexdigest()
    least, classes, before, behind, beyond = weights.values()
    return ReadingsTable(least[""], forms, classes, before, behind, beyond, published, digest)
