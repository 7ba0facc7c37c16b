"""References written by people (CommonGen, section 3): tasks go out, answers come back and are checked.

`tasks` and `answers` are the files; `importing` leads from answers to references by way of `checking`, `limits` and
`results`; `replacements` gives the place of sets that found no good references to other candidates. `order` and
`adequacy` analyse finished references; `perplexity` and `encoders` choose what they measure by.
"""

from conceptloom.annotation.adequacy import Agreement, agreement_by_references
from conceptloom.annotation.answers import COLUMNS, REASONS, Answer, Rejected, read_answers
from conceptloom.annotation.checking import check_answers
from conceptloom.annotation.encoders import ENCODERS, make_encoder
from conceptloom.annotation.limits import Limits, Measures, WorkerRecord, apply_limits, measure_answers
from conceptloom.annotation.order import OrderCheck, check_order, spearman
from conceptloom.annotation.perplexity import PerplexityScorer, make_perplexity_scorer
from conceptloom.annotation.results import Result, collect_result, write_result
from conceptloom.annotation.tasks import Task, make_tasks, read_tasks, write_tasks

__all__ = [
    "COLUMNS",
    "ENCODERS",
    "REASONS",
    "Agreement",
    "Answer",
    "Limits",
    "Measures",
    "OrderCheck",
    "PerplexityScorer",
    "Rejected",
    "Result",
    "Task",
    "WorkerRecord",
    "agreement_by_references",
    "apply_limits",
    "check_answers",
    "check_order",
    "collect_result",
    "make_encoder",
    "make_perplexity_scorer",
    "make_tasks",
    "measure_answers",
    "read_answers",
    "read_tasks",
    "spearman",
    "write_result",
    "write_tasks",
]
