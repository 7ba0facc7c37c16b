"""The preset `commongen`: the columns of CommonGen's published tables (Lin et al. 2020, section 5)."""

from conceptloom.metrics.base import PRESETS, Metric, Options, Preset


def make(options: Options) -> list[Metric]:
    """The metrics of the preset, imported here: other presets do not wait for their packages."""
    from conceptloom.metrics.measures.commongen.captions import captions
    from conceptloom.metrics.measures.commongen.coverage import coverage
    from conceptloom.metrics.measures.commongen.rouge import rouge

    return [rouge, captions, coverage]


PRESETS.add(
    "commongen",
    Preset(
        "CommonGen's table: ROUGE-2/L, BLEU-3/4, CIDEr, METEOR, SPICE if its jars are installed, Coverage",
        make,
    ),
)
