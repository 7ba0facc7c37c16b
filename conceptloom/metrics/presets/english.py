"""The preset of CommonGen's tables (English)."""

from conceptloom.metrics.base import PRESETS, Preset
from conceptloom.metrics.measures.english_captions import captions
from conceptloom.metrics.measures.english_coverage import coverage
from conceptloom.metrics.measures.english_rouge import rouge

PRESETS.add(
    "commongen",
    Preset(
        "CommonGen's table: ROUGE-2/L, BLEU-3/4, CIDEr, METEOR, SPICE where its jars are, Coverage",
        lambda options: [rouge, captions, coverage],
    ),
)
