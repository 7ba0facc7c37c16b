"""The preset `story-cloze`: accuracy, overall and for each type of story."""

from conceptloom.metrics.base import PRESETS, Preset
from conceptloom.metrics.inputs.answers import answer_items
from conceptloom.metrics.measures.answers import accuracy_by_type

PRESETS.add("story-cloze", Preset("accuracy, by type of story", lambda options: [accuracy_by_type], items=answer_items))
