"""A tagged piece of a Korean sentence, and the content morphemes in it."""

from typing import Literal

Kind = Literal["noun", "modifier", "verb", ""]

CONTENT_TAGS = frozenset(("NNG", "NNP", "XR", "VV", "VA", "MM", "MAG"))
"""The Sejong tags of morphemes that carry meaning by themselves; similarity and `unit: morpheme` use only these."""

STOP_SURFACES = frozenset(("대해", "대해서"))
"""Tagged as verbs, but in fact the postposition 'about': never a concept (measured on the published data)."""


def kind_of(surface: str, tag: str) -> Kind:
    """Returns the kind of a token for concept rules, by the start of its tag (so NNG+JX is a noun, VV+EP a verb)."""
    if tag.startswith("NNG"):
        return "noun"
    if surface in STOP_SURFACES:
        return ""
    if tag.startswith(("MM", "MAG")):
        return "modifier"
    return "verb" if tag.startswith(("VV", "VA")) else ""


class Token:
    """A surface form with its tag. Taggers share one instance among equal tokens, so derived values are stored."""

    __slots__ = ("kind", "morphemes", "surface", "tag")

    def __init__(self, surface: str, tag: str, parts: tuple[tuple[str, str], ...] = ()) -> None:
        """`parts` are the (form, tag) pairs of an inflected token; without any, the token is one morpheme."""
        self.surface = surface
        self.tag = tag
        self.kind: Kind = kind_of(surface, tag)
        self.morphemes: tuple[str, ...] = tuple(
            f"{form}/{part}" for form, part in parts or ((surface, tag),) if part in CONTENT_TAGS
        )

    def __repr__(self) -> str:
        return f"{self.surface}/{self.tag}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Token) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[str, str, tuple[str, ...]]:
        return self.surface, self.tag, self.morphemes
