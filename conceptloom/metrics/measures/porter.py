"""Porter's stemmer ("An algorithm for suffix stripping", 1980), as published and with the changes of nltk.

Scores of published tables depend on either, to the last word. nltk has both, but importing one module of it imports all
of nltk and SciPy, which takes longer than to score a test set. Snowball's stemmer `porter` differs (`trekking`).
"""

from dataclasses import dataclass

_VOWELS = frozenset("aeiou")
_IRREGULAR = {
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "innings": "inning",
    "outings": "outing",
    "cannings": "canning",
    **{word: word for word in ("sky", "news", "inning", "outing", "canning", "howe", "proceed", "exceed", "succeed")},
}
"""Words that the changed algorithm does not touch, or not by rule."""

Rules = tuple[tuple[str, str], ...]
"""Suffixes with what replaces them. The first that fits decides, even where its condition fails."""

_STEP_1A: Rules = (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", ""))
_STEP_2: Rules = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("abli", "able"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP_2_CHANGED: Rules = (*(("bli", "ble") if rule[0] == "abli" else rule for rule in _STEP_2), ("fulli", "ful"))
_STEP_3: Rules = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4: Rules = (
    ("al", ""), ("ance", ""), ("ence", ""), ("er", ""), ("ic", ""), ("able", ""), ("ible", ""), ("ant", ""),
    ("ement", ""), ("ment", ""), ("ent", ""), ("ion", ""), ("ou", ""), ("ism", ""), ("ate", ""), ("iti", ""),
    ("ous", ""), ("ive", ""), ("ize", ""),
)  # fmt: skip


@dataclass(frozen=True)
class PorterStemmer:
    """The algorithm as published, or `changed` as in nltk's default mode (NLTK_EXTENSIONS)."""

    changed: bool = False

    def stem(self, word: str) -> str:
        """Returns the stem of a word in lower case.

        >>> PorterStemmer().stem("relational"), PorterStemmer().stem("dying"), PorterStemmer(changed=True).stem("dying")
        ('relat', 'dy', 'die')
        """
        if self.changed and (word in _IRREGULAR or len(word) <= 2):
            return _IRREGULAR.get(word, word)
        word = self._step_1c(self._step_1b(self._step_1a(word)))
        word = _replaced(self._step_2(word), _STEP_3, 1)
        return self._step_5(_step_4(word))

    def _step_1a(self, word: str) -> str:
        if self.changed and len(word) == 4 and word.endswith("ies"):
            return word[:-1]
        return _replaced(word, _STEP_1A, 0)

    def _step_1b(self, word: str) -> str:
        if self.changed and word.endswith("ied"):
            return word[:-1] if len(word) == 4 else word[:-2]
        if word.endswith("eed"):
            return word[:-1] if _measure(word[:-3]) else word
        for suffix in ("ed", "ing"):
            stem = word.removesuffix(suffix)
            if stem != word and "v" in _shape(stem):
                return self._mended(stem)
        return word

    def _mended(self, stem: str) -> str:
        """A stem that lost -ed or -ing, with the e that it had, or without its second consonant."""
        if stem.endswith(("at", "bl", "iz")):
            return stem + "e"
        if len(stem) > 1 and stem[-1] == stem[-2] and _shape(stem)[-1] == "c":
            return stem if stem[-1] in "lsz" else stem[:-1]
        return stem + "e" if _measure(stem) == 1 and self._ends_cvc(stem) else stem

    def _step_1c(self, word: str) -> str:
        stem = word.removesuffix("y")
        shape = _shape(stem)
        after_consonant = len(stem) > 1 and shape[-1] == "c"
        return stem + "i" if stem != word and (after_consonant if self.changed else "v" in shape) else word

    def _step_2(self, word: str) -> str:
        if not self.changed:
            return _replaced(word, _STEP_2, 1)
        if word.endswith("alli") and _measure(word[:-4]):
            return self._step_2(word[:-2])
        if word.endswith("logi"):
            return word[:-1] if _measure(word[:-3]) else word
        return _replaced(word, _STEP_2_CHANGED, 1)

    def _step_5(self, word: str) -> str:
        if word.endswith("e"):
            measure = _measure(word[:-1])
            if measure > 1 or (measure == 1 and not self._ends_cvc(word[:-1])):
                word = word[:-1]
        return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word

    def _ends_cvc(self, stem: str) -> bool:
        """The paper's *o: a short syllable, whose last consonant is not w, x or y."""
        shape = _shape(stem)
        return (shape.endswith("cvc") and stem[-1] not in "wxy") or (self.changed and shape == "vc")


def _step_4(word: str) -> str:
    if word.endswith("ion") and not word.endswith(("sion", "tion")):
        return word
    return _replaced(word, _STEP_4, 2)


def _replaced(word: str, rules: Rules, measure: int) -> str:
    """The word with its suffix replaced, if what is before the suffix has at least that measure."""
    for suffix, replacement in rules:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return stem + replacement if _measure(stem) >= measure else word
    return word


def _measure(stem: str) -> int:
    """The paper's m: how often vowels are followed by consonants."""
    return _shape(stem).count("vc")


def _shape(stem: str) -> str:
    """A c for each consonant, a v for each vowel; y is a vowel behind a consonant."""
    found = ""
    for letter in stem:
        found += "v" if letter in _VOWELS or (letter == "y" and found.endswith("c")) else "c"
    return found
