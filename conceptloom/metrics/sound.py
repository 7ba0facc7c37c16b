"""The preset of what a new paper should report: each score can be resampled, and its signature says all of it."""

from conceptloom.metrics.base import PRESETS, Metric, Options, Preset
from conceptloom.metrics.sound_concepts import Concepts
from conceptloom.metrics.sound_language import language
from conceptloom.metrics.sound_overlap import Bleu, ChrF, Rouge
from conceptloom.metrics.sound_repetition import Repetition


def make(options: Options) -> list[Metric]:
    """The metrics of the preset; raises ConfigError for a language or a rule that is not known."""
    chosen = language(options.get("language", "ko"), options.get("rule", ""))
    return [Bleu(chosen), ChrF(chosen), Rouge(chosen), Concepts(chosen), Repetition(chosen)]


PRESETS.add(
    "sound",
    Preset(
        "what a new paper should report: corpus BLEU, chrF++, ROUGE, coverage, order, repetition, with intervals",
        make,
        {"language": "ko (default) or en", "rule": "a Korean concept rule; default: published"},
        by_set=True,
    ),
)
