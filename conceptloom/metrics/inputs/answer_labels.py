"""Answers that no question of a task has: labels of another subtask, small letters, a file for something else."""

from collections.abc import Sequence
from typing import NamedTuple

from conceptloom.metrics.base import Item

COMVE = {"A": frozenset("01"), "B": frozenset("ABC")}
"""The labels of the ComVE subtasks that have labels; any other gold answer belongs to subtask C."""

_TASKS = {**{f"ComVE's subtask {task}": labels for task, labels in COMVE.items()}, "the story cloze": frozenset("12")}


class WrongLabels(NamedTuple):
    """How many answers are not among the labels of their task, and what they seem to be."""

    times: int
    detail: str


def wrong_labels(items: Sequence[Item]) -> WrongLabels | None:
    """The answers that cannot be right, whatever the question; None where there are none.

    Where the gold answers are labels of a task, these are all answers that are not empty and not among its labels.
    Where they are free text, as the reasons of ComVE's subtask C, answers are only wrong if all are labels of a task.
    """
    labels, given = _labels(items), [item.prediction.strip() for item in items if item.prediction.strip()]
    wrong = [text for text in given if text not in labels] if labels else []
    if not labels and given and _task_of(given):
        wrong = given
    if not wrong:
        return None
    every = len(wrong) == len(given)
    expected = f"{', '.join(sorted(labels))} expected" if labels else "reasons expected"
    return WrongLabels(len(wrong), f"such as {wrong[0][:20]!r} ({expected}){_cure(wrong, labels) if every else ''}")


def _labels(items: Sequence[Item]) -> frozenset[str]:
    """The labels of every task to which the gold answers may belong; empty for free text."""
    gold = {text.strip() for item in items for text in item.references}
    return frozenset().union(*(labels for labels in _TASKS.values() if gold and gold <= labels))


def _cure(given: Sequence[str], labels: frozenset[str]) -> str:
    if labels.issuperset(text.upper() for text in given):
        return "; no answer is valid: write capital letters"
    task = _task_of(given)
    return "; no answer is valid: " + (f"they look like those of {task}" if task else "name another file")


def _task_of(given: Sequence[str]) -> str:
    return next((task for task, labels in _TASKS.items() if labels.issuperset(given)), "")
