"""Splits a text into its sentences."""

import re

_BOUNDARY = re.compile(r"[.!?][\"']?(?P<gap>\s+)")


def split_sentences(text: str) -> list[str]:
    """Returns the sentences of a normalised text, split at white space after `.`, `!` or `?` (and a closing quote).

    A text without such a place is one sentence, whatever it ends in. An empty text is one empty sentence, so that the
    record is still counted.

    >>> split_sentences("비가 온다. 우산을 쓴다.")
    ['비가 온다.', '우산을 쓴다.']
    """
    if _BOUNDARY.search(text) is None:
        return [text]
    cuts = [match.span("gap") for match in _BOUNDARY.finditer(text)]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]
