"""Kiwi (kiwipiepy): a modern tagger with its own model; its tokens are merged back to surface forms."""

from typing import Any

from conceptloom.languages.korean.taggers.base import TAGGERS, SentenceTagger, TaggerEntry, missing, versions
from conceptloom.languages.korean.tokens import Token

_EXTRA = "conceptloom[kiwi]"


def sejong_tag(tag: str) -> str:
    """Returns Kiwi's tag without the mark of (ir)regular inflection (VV-I -> VV); its own W_… and Z_… tags are SW."""
    plain = tag.partition("-")[0]
    return "SW" if plain.startswith(("W_", "Z_")) else plain


def merge_overlaps(text: str, pieces: list[tuple[str, str, int, int]]) -> list[Token]:
    """Returns tokens of pieces (form, tag, start, end): pieces that share characters become one inflected token.

    >>> merge_overlaps("쳤다", [("치", "VV", 0, 1), ("었", "EP", 0, 1), ("다", "EF", 1, 2)])
    [쳤/VV+EP, 다/EF]
    """
    groups: list[list[tuple[str, str, int, int]]] = []
    for piece in pieces:
        if groups and _belongs(piece, groups[-1]):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return [_token(text, group) for group in groups]


def _belongs(piece: tuple[str, str, int, int], group: list[tuple[str, str, int, int]]) -> bool:
    """Whether a piece shares characters with a group, or one of them is elided: it has no characters of its own."""
    end = max(part[3] for part in group)
    return piece[2] < end or piece[3] == end or (piece[2] == end and group[0][2] == end)


def _token(text: str, group: list[tuple[str, str, int, int]]) -> Token:
    surface = text[group[0][2] : max(part[3] for part in group)]
    return Token(surface, "+".join(part[1] for part in group), tuple((part[0], part[1]) for part in group))


class KiwiTagger(SentenceTagger):
    """kiwipiepy with its default model (3,600 sentences a second on one core)."""

    def __init__(self) -> None:
        try:
            from kiwipiepy import Kiwi
        except ModuleNotFoundError:
            raise missing("kiwi", "kiwipiepy", _EXTRA) from None
        super().__init__(self._tokens)
        self._kiwi: Any = Kiwi(num_workers=1)

    def _tokens(self, text: str) -> list[Token]:
        pieces = self._kiwi.tokenize(text)
        return merge_overlaps(text, [(p.form, sejong_tag(p.tag), p.start, p.start + p.len) for p in pieces])

    def signature(self) -> dict[str, str]:
        """See Tagger."""
        return _signature()


def _signature() -> dict[str, str]:
    return versions("kiwi", _EXTRA, "kiwipiepy", "kiwipiepy_model")


TAGGERS.add("kiwi", TaggerEntry("Kiwi: a tagger with its own model (extra `kiwi`)", KiwiTagger, _signature))
