"""One spelling for one text: Unicode NFC, plain spaces, plain quotes, one form of each full stop."""

import re
import unicodedata

_PLAIN = re.compile(r"[가-힣]+(?:,? [가-힣]+)*\.")
_SPACES = re.compile(r"\s+")
_SPACE_BEFORE_STOP = re.compile(r" +(?=[.,!?](?:\s|$))")
_FORMS = str.maketrans(
    {
        "“": '"', "”": '"', "„": '"', "＂": '"', "‘": "'", "’": "'", "＇": "'",
        "。": ".", "．": ".", "｡": ".", "，": ",", "、": ",", "！": "!", "？": "?", "…": "...",
        "\ufeff": None, "\u200b": None, "\u200c": None, "\u200d": None, "\u00ad": None,
    }
)  # fmt: skip


def normalise(text: str) -> str:
    """`text` in NFC, with single spaces and plain punctuation; nothing is added, and no word changed.

    A missing full stop stays missing: a noun phrase is a reason to reject, not to invent a sentence.

    >>> normalise(" 개가  ‘멍멍’ 짖는다 。")
    "개가 '멍멍' 짖는다."
    """
    if _PLAIN.fullmatch(text):
        return text
    # Invisible characters go first: between two jamo they would keep them from being composed.
    composed = unicodedata.normalize("NFC", text.translate(_FORMS))
    return _SPACE_BEFORE_STOP.sub("", _SPACES.sub(" ", composed)).strip()
