"""Transfer to other tasks: prompts for a model trained on a data set, and the other task's inputs with its sentences.

`csqa` knows CommonsenseQA, `prompts` how models are asked for a sentence.
"""

from conceptloom.transfer.csqa import ChoiceSet, Question, choice_sets, final_inputs, nouns_and_verbs, read_questions
from conceptloom.transfer.prompts import STYLES, prompt

__all__ = [
    "STYLES",
    "ChoiceSet",
    "Question",
    "choice_sets",
    "final_inputs",
    "nouns_and_verbs",
    "prompt",
    "read_questions",
]
