"""One spelling for each Korean text."""

import re

from conceptloom.languages.spelling import one_spelling

PLAIN = r"^[가-힣]+(?:,? [가-힣]+)*\.$"
"""A sentence of syllables, commas and a full stop, with nothing to normalise, as most are; for RE2, too."""

_is_plain = re.compile(PLAIN).fullmatch


def normalise(text: str) -> str:
    """Returns `text` in one spelling; adds nothing and changes no word.

    A missing full stop stays missing: a noun phrase is to be rejected, not made into a sentence.

    >>> normalise(" 개가  ‘멍멍’ 짖는다 。")
    "개가 '멍멍' 짖는다."
    """
    return text if _is_plain(text) else one_spelling(text)
