"""One spelling for one English text."""

import re

from conceptloom.languages.spelling import one_spelling

_PLAIN = re.compile(r"[A-Za-z]+(?:,? [A-Za-z]+)*\.?")
_SPLIT_CLITIC = re.compile(r"(?<=[A-Za-z]) (?=(?:n't|'(?:s|re|ve|ll|d|m))(?![^\W_]))", re.IGNORECASE)


def normalise(text: str) -> str:
    """`text` in one spelling; case is kept, nothing is added, and no word changed.

    Some caption corpora stand as tokens: what a tokenizer cut off is put back.

    >>> normalise("A dog  is n't on the dog 's bed , or is it ?")
    "A dog isn't on the dog's bed, or is it?"
    """
    return text if _PLAIN.fullmatch(text) else _SPLIT_CLITIC.sub("", one_spelling(text))
