"""Which filters run: the presets `published`, `paper` and `none`."""

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
