"""Which answers are valid: for an existing task, by a named worker, with a sentence of their own."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from conceptloom.annotation.answers import Answer, Rejected
from conceptloom.annotation.tasks import Task

_WORD = re.compile(r"[\w'-]+")
_PLAIN = re.compile(r"[\w' -]+[.!?]?")
"""Words with blanks between them."""


class Checked(NamedTuple):
    """Valid and rejected answers, each in the order in which they came."""

    valid: list[Answer]
    rejected: list[Rejected]


def check_answers(entries: Iterable[Answer | Rejected], tasks: Mapping[str, Task]) -> Checked:
    """Rejects answers without a task (`tasks` by id), empty answers and repetitions; rejected entries stay rejected.

    Of two answers of one worker to one task, or two sentences for one task that are equal except for case, the first
    one counts.
    """
    valid, rejected = list[Answer](), list[Rejected]()
    earlier = _Earlier()
    for entry in entries:
        objection = entry if isinstance(entry, Rejected) else _objection(entry, tasks) or earlier.objection(entry)
        if objection:
            rejected.append(objection)
        elif isinstance(entry, Answer):
            earlier.add(entry)
            valid.append(entry)
    return Checked(valid, rejected)


def _objection(answer: Answer, tasks: Mapping[str, Task]) -> Rejected | None:
    if answer.task not in tasks:
        return Rejected(answer, "unknown_id", f"no task has the id {answer.task!r}")
    if not answer.sentence:
        return Rejected(answer, "no_sentence")
    if is_list(answer.sentence, tasks[answer.task].concepts):
        return Rejected(answer, "concept_list", "only the concepts are there")
    if not answer.worker:
        return Rejected(answer, "no_worker")
    shown = {_key(text) for text in tasks[answer.task].inspiration}
    return Rejected(answer, "copied", "shown as inspiration") if _key(answer.sentence) in shown else None


def is_list(sentence: str, concepts: Sequence[str]) -> bool:
    """Returns whether a sentence is no more than the list of the concepts: as they were shown, or with separators.

    In another order and with blanks alone, words that are all concepts may well be a sentence.

    >>> is_list("ride, dog: skateboard.", ("dog", "ride", "skateboard")), is_list("Dogs ride.", ("dog", "ride"))
    (True, False)
    >>> is_list("dog ride", ("dog", "ride")), is_list("People like fish.", ("like", "people", "fish"))
    (True, False)
    """
    words, shown = _WORD.findall(sentence.casefold()), _WORD.findall(" ".join(concepts).casefold())
    if sorted(words) != sorted(shown):
        return False
    return words == shown or not _PLAIN.fullmatch(sentence)


class _Earlier:
    """The places of earlier answers, by task and worker and by task and sentence."""

    def __init__(self) -> None:
        self._workers: dict[tuple[str, str], str] = {}
        self._sentences: dict[tuple[str, str], str] = {}

    def objection(self, answer: Answer) -> Rejected | None:
        """The rejected answer if it is a repetition, otherwise None."""
        if place := self._workers.get((answer.task, answer.worker)):
            return Rejected(answer, "duplicate_answer", f"first at {place}")
        if place := self._sentences.get((answer.task, _key(answer.sentence))):
            return Rejected(answer, "duplicate_sentence", f"first at {place}")
        return None

    def add(self, answer: Answer) -> None:
        """Remembers an answer."""
        self._workers[answer.task, answer.worker] = answer.place
        self._sentences[answer.task, _key(answer.sentence)] = answer.place


def _key(sentence: str) -> str:
    return sentence.casefold().rstrip(".!? ")
