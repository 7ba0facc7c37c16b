"""Scores of answers to questions: accuracy, by type of question, and the score of a ComVE subtask."""

from collections.abc import Sequence

import numpy as np

from conceptloom.metrics.base import Item, Score, make_signature
from conceptloom.metrics.inputs.answer_labels import COMVE
from conceptloom.metrics.measures.comve_bleu import comve_bleu
from conceptloom.metrics.measures.sums import average


def score_of_subtask(items: Sequence[Item]) -> list[Score]:
    """One score, chosen by the subtask of the gold answers: accuracy for A and B, BLEU for the reasons of C."""
    gold = {text for item in items for text in item.references}
    task = next((task for task, labels in COMVE.items() if gold <= labels), "C")
    return [comve_bleu(items)] if task == "C" else [accuracy(f"Accuracy {task}", items)]


def accuracy_by_type(items: Sequence[Item]) -> list[Score]:
    """The accuracy of all items, then that of each type of story (the items' sources), types sorted by name."""
    types = sorted({item.source for item in items} - {""})
    return [accuracy("Accuracy", items), *(accuracy(f"Accuracy {kind}", items, kind) for kind in types)]


def accuracy(name: str, items: Sequence[Item], kind: str | None = None) -> Score:
    """The share x100 of items whose prediction is the gold answer; with `kind`, only items of that source count."""
    right = [100.0 * (item.prediction.strip() == item.references[0].strip()) for item in items]
    known = [kind is None or item.source == kind for item in items]
    parts = {} if kind is None else {"type": kind}
    return average(name, np.where(known, right, np.nan), make_signature("accuracy", **parts, n=sum(known)))
