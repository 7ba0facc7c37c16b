"""One spelling for each Korean text."""

import re

from conceptloom.languages.spelling import one_spelling

_PLAIN = re.compile(r"[가-힣]+(?:,? [가-힣]+)*\.")


def normalise(text: str) -> str:
    """Returns `text` in one spelling; adds nothing and changes no word.

    A missing full stop stays missing: a noun phrase is to be rejected, not made into a sentence.

    >>> normalise(" 개가  ‘멍멍’ 짖는다 。")
    "개가 '멍멍' 짖는다."
    """
    return text if _PLAIN.fullmatch(text) else one_spelling(text)
