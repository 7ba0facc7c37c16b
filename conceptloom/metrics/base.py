"""What a metric is: a function of predicted lines and of what each is held against."""

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


@runtime_checkable
class Blockwise(Protocol):
    """A metric that looks at each item alone, so that its work can be divided; it is a `Metric` too.

    Calling it gives `scores(rows(items))`, and the rows of two halves one after the other are the rows of the whole:
    scores do not depend on how the items were divided.
    """

    def __call__(self, items: Sequence[Item]) -> list[Score]:
        """See `Metric`."""

    def rows(self, items: Sequence[Item]) -> NDArray[np.float64]:
        """What there is to know of each item: shape (items, columns)."""

    def scores(self, rows: NDArray[np.float64]) -> list[Score]:
        """The scores of all items by their rows."""


@dataclass(frozen=True)
class Preset:
    """A named list of metrics: what it is, the options it takes (name -> what is given), and how it is made."""

    summary: str
    make: Callable[[Options], list[Metric]]
    options: Mapping[str, str] = field(default_factory=dict)


PRESETS: Registry[Preset] = Registry("preset")


def make_metrics(name: str, options: Options | None = None) -> list[Metric]:
    """The metrics of a preset; raises ConfigError for a name that is none, or an option that it does not take."""
    preset = PRESETS[name]
    for option in options or {}:
        if option not in preset.options:
            known = ", ".join(sorted(preset.options)) or "none"
            raise ConfigError(f"preset {name} has no option {option!r}; it has: {known}")
    return preset.make(options or {})
