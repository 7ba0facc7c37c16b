"""The preset `sound`: what a new paper should report. Every score can be resampled and has a complete signature."""

from conceptloom.errors import ConfigError
from conceptloom.metrics.base import PRESETS, Metric, Options, Preset
from conceptloom.metrics.measures.bertscore import DEVICE, BertScore
from conceptloom.models import DEFAULT_DEVICE

_LAYERS = "9"
"""The layer that the program bert-score reads in a model of twelve."""


def make(options: Options) -> list[Metric]:
    """The metrics of the preset; raises ConfigError for an unknown language or rule, or an invalid option.

    The languages are imported here, so that other presets do not wait for them.
    """
    from conceptloom.metrics.measures.sound.concepts import Concepts
    from conceptloom.metrics.measures.sound.language import language
    from conceptloom.metrics.measures.sound.overlap import Bleu, ChrF, Rouge
    from conceptloom.metrics.measures.sound.repetition import Repetition

    chosen = language(options.get("language", "ko"), options.get("rule", ""))
    return [Bleu(chosen), ChrF(chosen), Rouge(chosen), *_bert(options), Concepts(chosen), Repetition(chosen)]


def _bert(options: Options) -> list[Metric]:
    layers = options.get("layers", _LAYERS)
    if not layers.isascii() or not layers.isdigit() or int(layers) < 1:
        raise ConfigError(f"the option layers is a number of layers, such as {_LAYERS}, not {layers!r}")
    if "bert" in options:
        return [BertScore("BERTScore", options["bert"], int(layers), device=options.get("device", DEFAULT_DEVICE))]
    for option in ("layers", "device"):
        if option in options:
            raise ConfigError(f"the option {option} applies to a model: give the option bert too")
    return []


PRESETS.add(
    "sound",
    Preset(
        "what a new paper should report: corpus BLEU, chrF++, ROUGE, coverage, order, repetition, with intervals",
        make,
        {
            "language": "ko (default) or en",
            "rule": "a Korean concept rule; default: published",
            "bert": "the directory of a BERT model for BERTScore",
            "layers": f"how many of its layers are used; default: {_LAYERS}",
            "device": DEVICE,
        },
        by_set=True,
    ),
)
