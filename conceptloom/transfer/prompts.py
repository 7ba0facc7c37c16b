"""How a generation model is asked for a sentence with a concept set (CommonGen, section 4)."""

from collections.abc import Sequence

from conceptloom.errors import ConfigError

STYLES = {
    "gpt2": "{concepts} =",
    "t5": "generate a sentence with: {concepts}",
    "plain": "{concepts}",
}
"""The prompts by name. GPT-2 continues after the `=`; it was trained on `c1 c2 = sentence`."""


def prompt(concepts: Sequence[str], style: str) -> str:
    """The prompt for a concept set; raises ConfigError for an unknown style.

    >>> prompt(["dog", "run"], "gpt2"), prompt(["dog", "run"], "t5")
    ('dog run =', 'generate a sentence with: dog run')
    """
    if style not in STYLES:
        raise ConfigError(f"no prompt is called {style!r}; there are: {', '.join(STYLES)}")
    return STYLES[style].format(concepts=" ".join(concepts))
