"""Transfer: what a model trained on a data set is asked for another task, and what that task is then given."""

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
