"""Automatic metrics: how good predicted sentences are. A module for each idea, presets by name."""

from conceptloom.metrics.base import PRESETS, Blockwise, Item, Metric, Options, Preset, Score, make_metrics

__all__ = ["PRESETS", "Blockwise", "Item", "Metric", "Options", "Preset", "Score", "make_metrics"]
