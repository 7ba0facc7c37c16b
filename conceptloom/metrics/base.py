"""What a metric is: a function of predicted lines and of what each is held against."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from conceptloom.errors import ConfigError
from conceptloom.registry import Registry


@dataclass(frozen=True)
class Item:
    """One predicted line with what it is held against. `key` is an id, or the concept set as it was written."""

    key: str
    concepts: tuple[str, ...]
    references: tuple[str, ...]
    prediction: str
    source: str = ""


@dataclass(frozen=True)
class Score:
    """One metric over all items: its printed name, its value, and by what it was computed.

    `value` is as printed: x100 where papers print so. `values` has shape (items,) and the same scale; it is None where
    the metric is of the whole corpus only. `signature` names metric, tokenizer, options and versions, as sacrebleu
    does: `metric:ROUGE-2|tok:mecab-ko|version:1.3.7`.
    """

    name: str
    value: float
    values: NDArray[np.float64] | None
    signature: str


Metric: TypeAlias = Callable[[Sequence[Item]], list[Score]]
"""The scores of some items, in their order."""

Options: TypeAlias = Mapping[str, str]
"""What a user may give a preset, by name: the path of a model, of a jar."""


BLOCK = 8192
"""How many items are worked on at a time, where work is divided: a multiple of what a model takes in one batch."""


@runtime_checkable
class Blockwise(Protocol):
    """A metric that looks at each item alone, so that its work can be divided; it is a `Metric` too.

    The rows of one block of items (see BLOCK) and then of the next are the rows of all: scores do not depend on who
    worked on which block.
    """

    def __call__(self, items: Sequence[Item]) -> list[Score]:
        """See `Metric`."""
        return self.scores(self.rows(items))

    def rows(self, items: Sequence[Item]) -> NDArray[np.float64]:
        """What there is to know of each item: shape (items, columns)."""

    def scores(self, rows: NDArray[np.float64]) -> list[Score]:
        """The scores of all items by their rows."""


def make_signature(metric: str, **parts: object) -> str:
    """A signature of these parts, in their order.

    >>> make_signature("ROUGE-L", beta=1.2, tok="none")
    'metric:ROUGE-L|beta:1.2|tok:none'
    """
    return "|".join([f"metric:{metric}", *(f"{name}:{value}" for name, value in parts.items())])


def mean_score(name: str, values: NDArray[np.float64], signature: str) -> Score:
    """The score of a metric whose value is the mean over items: of the exact sum, rounded once. No items give nan."""
    return Score(name, math.fsum(values) / len(values) if len(values) else math.nan, values, signature)


@dataclass(frozen=True)
class Preset:
    """A named list of metrics: what it is, the options it takes (name -> what is given), and how it is made.

    `items` makes the items of a file of references and one of predictions, where both have formats of their own; None:
    they are read as `inputs` reads them. `by_set`: a set is one item with all its references, also where a file has a
    prediction for each of them: lines that repeat a prediction are no new evidence, and no duplicates.
    """

    summary: str
    make: Callable[[Options], list[Metric]]
    options: Mapping[str, str] = field(default_factory=dict)
    items: Callable[[str, str], list[Item]] | None = None
    by_set: bool = False


PRESETS: Registry[Preset] = Registry("preset")


def make_metrics(name: str, options: Options | None = None) -> list[Metric]:
    """The metrics of a preset; raises ConfigError for a name that is none, or an option that it does not take."""
    preset = PRESETS[name]
    for option in options or {}:
        if option not in preset.options:
            known = ", ".join(sorted(preset.options)) or "none"
            raise ConfigError(f"preset {name} has no option {option!r}; it has: {known}")
    return preset.make(options or {})
