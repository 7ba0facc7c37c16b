"""Automatic metrics: how good predicted sentences are. A module for each idea, presets by name."""

from conceptloom.metrics import answers, english, korean, sound  # noqa: F401  for what they register
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
