"""The presets `korean-commongen` and `korean-commongen-single`: the columns of Korean CommonGen's published tables.

`measures.korean_commongen` says what each column computes, which is not always what its name suggests.
"""

from functools import partial

from conceptloom.errors import ConfigError
from conceptloom.metrics.base import PRESETS, Metric, Options, Preset
from conceptloom.metrics.measures.bertscore import DEVICE, BertScore
from conceptloom.metrics.measures.korean_commongen.table import PublishedTable
from conceptloom.models import DEFAULT_DEVICE

_MODELS = {"mbert": "mBERTScore", "kobert": "KoBERTScore"}
"""The score that each option's model gives."""

_OPTIONS = {
    "mbert": "the directory of a BERT model for mBERTScore, bert-base-multilingual-cased in the paper",
    "kobert": "the directory of a BERT model for KoBERTScore, monologg/kobert in the paper",
    "device": DEVICE,
}


def make(options: Options, *, single: bool) -> list[Metric]:
    """The metrics of a preset; `single` as in `PublishedTable`. A BERTScore needs an option that names its model."""
    models = [
        BertScore(name, options[option], layers=2, weights="published", device=options.get("device", DEFAULT_DEVICE))
        for option, name in _MODELS.items()
        if option in options
    ]
    if "device" in options and not models:
        raise ConfigError("the option device applies to a model: give the option mbert or kobert too")
    return [PublishedTable(single), *models]


PRESETS.add(
    "korean-commongen",
    Preset("Korean CommonGen's table: three references a set", partial(make, single=False), _OPTIONS, by_set=True),
)
PRESETS.add(
    "korean-commongen-single",
    Preset("Korean CommonGen's reformulated test: one reference a set", partial(make, single=True), _OPTIONS),
)
