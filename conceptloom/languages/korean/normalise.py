"""One spelling for one Korean text."""

import re

from conceptloom.languages.spelling import one_spelling

_PLAIN = re.compile(r"[가-힣]+(?:,? [가-힣]+)*\.")


def normalise(text: str) -> str:
    """`text` in one spelling; nothing is added, and no word changed.

    A missing full stop stays missing: a noun phrase is a reason to reject, not to invent a sentence.

    >>> normalise(" 개가  ‘멍멍’ 짖는다 。")
    "개가 '멍멍' 짖는다."
    """
    return text if _PLAIN.fullmatch(text) else one_spelling(text)
