"""Automatic metrics: how good predicted sentences are. A module for each idea, presets by name."""

from conceptloom.metrics.base import (
    BLOCK,
    PRESETS,
    Blockwise,
    Item,
    Metric,
    Options,
    Preset,
    Score,
    make_metrics,
    make_signature,
    mean_score,
)
from conceptloom.metrics.presets import (
    answers,  # noqa: F401  for what they register
    english,  # noqa: F401  for what they register
    korean,  # noqa: F401  for what they register
    sound,  # noqa: F401  for what they register
)

__all__ = [
    "BLOCK",
    "PRESETS",
    "Blockwise",
    "Item",
    "Metric",
    "Options",
    "Preset",
    "Score",
    "make_metrics",
    "make_signature",
    "mean_score",
]
