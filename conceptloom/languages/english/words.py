"""The words of a caption: its length and the diversity of its scene are counted in words, and concepts are words."""

import re

_CLITIC = r"'(?:s|re|ve|ll|d|m)(?![^\W_])"
_WORD = re.compile(rf"[^\W_]+?(?=n't(?![^\W_]))|n't(?![^\W_])|{_CLITIC}|[^\W_]+")


def listed(text: str) -> frozenset[str]:
    """Returns the words of a text that are separated by spaces."""
    return frozenset(text.split())


FUNCTION_WORDS = listed(
    """
    a an the this that these those my your his her its our their whose which what who whom whoever whatever
    i you he she it we they me him us them myself yourself himself herself itself ourselves yourselves themselves
    yours hers ours theirs no none each every either neither some any all both many much several more most other
    another such same of in to for with on at from by about as into through after over between against during without
    before under around among across along behind below beneath beside besides beyond off onto toward towards up upon
    down since until till via within amid amidst per than amongst atop underneath throughout despite out
    and or but nor so yet if because while although though whether unless whereas when where why how whenever wherever
    not never there here then now very too also just only even still again ever always
    ca wo sha could may might must should would
    am is are was were be been being do does did doing done have has had having n't 's 're 've 'll 'd 'm
    """
)
"""Closed-class words, auxiliaries and adverbs of degree: in a caption hardly ever a noun or a main verb.

`like`, `can`, `past`, `half`, `mine` are not among them, because each is a published concept.
"""

BE = listed("am is are was were be been being 's 're 'm")
OBJECT_STARTS = listed("a an the this that these those my your his her its our their it him me us them each some")
"""The words that an object of a verb may begin with."""


def words(text: str) -> list[str]:
    """Returns the words of a text in lower case, in order: letters and digits; clitics are words of their own.

    >>> words("Two men aren't in the dog's T-shirt.")
    ['two', 'men', 'are', "n't", 'in', 'the', 'dog', "'s", 't', 'shirt']
    """
    return _WORD.findall(text.replace("’", "'").lower())


def is_verbal(sentence: list[str], at: int) -> bool:
    """Returns whether a word in -ing is a verb by its neighbours: a form of `be` before it, or an object after it.

    >>> [is_verbal("a man is fishing near a fishing boat".split(), at) for at in (3, 6)]
    [True, False]
    """
    before, behind = sentence[max(at - 1, 0) : at], sentence[at + 1 : at + 2]
    return not BE.isdisjoint(before) or not OBJECT_STARTS.isdisjoint(behind)
