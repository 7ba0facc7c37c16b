"""What a metric is: a function of items, each a prediction with the references that it is compared with."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

from conceptloom.arrays.types import Float64
from conceptloom.errors import ConfigError
from conceptloom.registry import Registry


@dataclass(frozen=True)
class Item:
    """A prediction with its concept set and references. `key` is an id, or the concept set as it was written."""

    key: str
    concepts: tuple[str, ...]
    references: tuple[str, ...]
    prediction: str
    source: str = ""


@dataclass(frozen=True)
class Score:
    """The result of one metric over all items.

    `value` has the scale in which papers print it, mostly x100. `values` has shape (items,) and the same scale; it is
    None for a metric that is only defined for a whole corpus. `signature` names metric, tokenizer, options and versions
    in sacrebleu's way: `metric:ROUGE-2|tok:mecab-ko|version:1.3.7`.
    """

    name: str
    value: float
    values: Float64 | None
    signature: str


Metric: TypeAlias = Callable[[Sequence[Item]], list[Score]]
"""Returns the scores of items, whose values are in the order of the items."""

Options: TypeAlias = Mapping[str, str]
"""The options that a user gives a preset, by name, such as the path of a model."""


BLOCK = 8192
"""The number of items in a block where work is divided: a multiple of a model's batch."""


@runtime_checkable
class Blockwise(Protocol):
    """A metric that looks at each item alone, so that its work can be divided. It is a `Metric` too.

    The rows of consecutive blocks of items (see BLOCK), one after the other, are the rows of all items: scores do not
    depend on where a block was computed.
    """

    def __call__(self, items: Sequence[Item]) -> list[Score]:
        """See `Metric`."""
        return self.scores(self.rows(items))

    def rows(self, items: Sequence[Item]) -> Float64:
        """What the scores need to know about each item: shape (items, columns)."""

    def scores(self, rows: Float64) -> list[Score]:
        """The scores of all items, given their rows."""


def make_signature(metric: str, **parts: object) -> str:
    """A signature with these parts, in their order.

    >>> make_signature("ROUGE-L", beta=1.2, tok="none")
    'metric:ROUGE-L|beta:1.2|tok:none'
    """
    return "|".join([f"metric:{metric}", *(f"{name}:{value}" for name, value in parts.items())])


def mean_score(name: str, values: Float64, signature: str) -> Score:
    """The score whose value is the mean over items: the exact sum, rounded once, over their number; nan for none."""
    return Score(name, math.fsum(values) / len(values) if len(values) else math.nan, values, signature)


@dataclass(frozen=True)
class Preset:
    """A named list of metrics: a summary, how to make it, and the options it takes (name -> what the option means).

    `items` reads the items from a file of references and a file of predictions, for presets with file formats of their
    own; None: `inputs.pairing` reads them. `by_set`: a set is one item with all its references, even where a file has a
    prediction for each reference, since repeated predictions are neither new evidence nor duplicates.
    """

    summary: str
    make: Callable[[Options], list[Metric]]
    options: Mapping[str, str] = field(default_factory=dict)
    items: Callable[[str, str], list[Item]] | None = None
    by_set: bool = False


PRESETS: Registry[Preset] = Registry("preset")


def make_metrics(name: str, options: Options | None = None) -> list[Metric]:
    """The metrics of a preset; raises ConfigError for an unknown name, or an option that the preset does not take."""
    preset = PRESETS[name]
    for option in options or {}:
        if option not in preset.options:
            known = ", ".join(sorted(preset.options)) or "none"
            raise ConfigError(f"preset {name} has no option {option!r}; it has: {known}")
    return preset.make(options or {})
