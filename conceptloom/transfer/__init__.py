"""Transfer to other tasks: prompts for a model trained on a data set, and the other task's inputs with its sentences.

`csqa` knows CommonsenseQA by the paper's text, `official` by the authors' code; `prompts` how models are asked for a
sentence.
"""

from conceptloom.transfer.csqa import ChoiceSet, Question, choice_sets, final_inputs, nouns_and_verbs, read_questions
from conceptloom.transfer.official import official_sets, packed_lines, tagged
from conceptloom.transfer.prompts import STYLES, prompt

__all__ = [
    "STYLES",
    "ChoiceSet",
    "Question",
    "choice_sets",
    "final_inputs",
    "nouns_and_verbs",
    "official_sets",
    "packed_lines",
    "prompt",
    "read_questions",
    "tagged",
]
