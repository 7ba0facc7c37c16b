"""One spelling for each English text."""

import re

from conceptloom.languages.spelling import one_spelling

PLAIN = r"^[A-Za-z]+(?:,? [A-Za-z]+)*\.?$"
"""Words, commas and a full stop, with nothing to normalise, as most captions are (also as a pattern of RE2)."""

_is_plain = re.compile(PLAIN).fullmatch
_SPLIT_CLITIC = re.compile(r"(?<=[A-Za-z]) (?=(?:n't|'(?:s|re|ve|ll|d|m))(?![^\W_]))", re.IGNORECASE)


def normalise(text: str) -> str:
    """Returns `text` in one spelling; keeps case, adds nothing and changes no word.

    Some caption corpora are published as tokens: clitics that a tokenizer split off are joined again.

    >>> normalise("A dog  is n't on the dog 's bed , or is it ?")
    "A dog isn't on the dog's bed, or is it?"
    """
    return text if _is_plain(text) else _SPLIT_CLITIC.sub("", one_spelling(text))
