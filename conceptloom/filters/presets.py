"""Which filters run: the presets `published`, `paper` and `none`."""

from collections.abc import Mapping

PRESETS: dict[str, tuple[str, ...]] = {
    "published": (
        "empty", "not_declarative", "digits", "foreign", "symbols", "length",
        "proper_noun", "pronoun", "vocative", "few_concepts",
    ),
    "paper": (
        "empty", "not_declarative", "digits", "foreign", "symbols", "proper_noun", "pronoun", "numeral", "few_concepts",
    ),
    "none": ("empty",),
}  # fmt: skip
"""Names of filters in the order in which they are asked; the first objection is the reason."""

PUBLISHED_WORDS = (
    "TV", "DVD", "Wii", "SUV", "MBTI", "CPU", "PC", "USB", "VCR", "DJ", "OST", "SNS", "MLB", "GI",
)  # fmt: skip
"""The Latin words of the published data that are words of everyday life.

Its single letters (sizes, U of U턴), misspellings and names (Knect, wadsworthst), jamo, `force` and `as` are not among
them: elsewhere they let in sentences about letters and foreign words.
"""

_OPTIONS: dict[tuple[str, str], Mapping[str, object]] = {("published", "foreign"): {"allow": PUBLISHED_WORDS}}


def preset_options(preset: str, name: str) -> Mapping[str, object]:
    """Returns the options that a preset gives to a filter, empty for most."""
    return _OPTIONS.get((preset, name), {})
