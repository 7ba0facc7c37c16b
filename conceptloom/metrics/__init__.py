"""Automatic metrics: how good predicted sentences are. Start with `evaluation.evaluate`, or with a preset's name.

`base` says what a metric is. `inputs` reads references and predictions into items, `measures` computes scores of items,
`presets` gives lists of measures a name, `resampling` says how certain scores are. `evaluation` scores files by a
preset, with `people` as a further system; `certainty` adds intervals and comparisons to an evaluation; `results` and
`page` write it as JSON, tables and HTML.
"""

from conceptloom.metrics import presets  # noqa: F401  its import registers the presets
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
