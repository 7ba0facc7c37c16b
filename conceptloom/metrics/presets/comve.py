"""The preset `comve`: the three subtasks of ComVE (SemEval-2020 task 4) as their organisers scored them."""

from conceptloom.metrics.base import PRESETS, Preset
from conceptloom.metrics.inputs.answers import answer_items
from conceptloom.metrics.measures.answers import score_of_subtask

PRESETS.add(
    "comve",
    Preset(
        "ComVE: accuracy of subtasks A and B, BLEU of C's reasons",
        lambda options: [score_of_subtask],
        items=answer_items,
    ),
)
