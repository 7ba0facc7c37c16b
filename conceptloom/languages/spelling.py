"""One spelling for one text, in any language: Unicode NFC, plain spaces, plain quotes, one form of each full stop."""

import re
import unicodedata

_SPACES = re.compile(r"\s+")
_SPACE_BEFORE_STOP = re.compile(r" +(?=[.,!?](?:\s|$))")
_FORMS = str.maketrans(
    {
        "“": '"', "”": '"', "„": '"', "＂": '"', "‘": "'", "’": "'", "＇": "'",
        "。": ".", "．": ".", "｡": ".", "，": ",", "、": ",", "！": "!", "？": "?", "…": "...",
        "\ufeff": None, "\u200b": None, "\u200c": None, "\u200d": None, "\u00ad": None,
    }
)  # fmt: skip


def one_spelling(text: str) -> str:
    """Returns `text` in NFC, with single spaces and plain punctuation; adds nothing and changes no word.

    >>> one_spelling(" A dog  ‘barks’ loudly .")
    "A dog 'barks' loudly."
    """
    # Invisible characters are removed first: between two jamo they would prevent composition.
    composed = unicodedata.normalize("NFC", text.translate(_FORMS))
    return _SPACE_BEFORE_STOP.sub("", _SPACES.sub(" ", composed)).strip()
