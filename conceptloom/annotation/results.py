"""The output of an import: references in the published formats, every answer with its fate, a report."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from conceptloom import storage
from conceptloom.annotation.answers import Answer, Rejected
from conceptloom.annotation.limits import Judged, Measures, WorkerRecord
from conceptloom.annotation.order import OrderCheck, check_order
from conceptloom.annotation.tasks import SEPARATOR, Task, write_tasks
from conceptloom.errors import InputError, OutputError
from conceptloom.examples import Example
from conceptloom.hashing import text_id
from conceptloom.json_values import JsonObject, to_json_lines


class Reference(NamedTuple):
    """A task with the answers taken for it, in the order in which they came."""

    task: Task
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class Result:
    """The result of an import."""

    references: list[Reference]
    """The references of the tasks that have any, in the order of the tasks."""
    open_tasks: list[tuple[Task, int]]
    """The tasks with fewer references than wanted, each with the number that is missing."""
    taken: list[tuple[Answer, Measures]]
    rejected: list[Rejected]
    workers: Mapping[str, WorkerRecord]
    order: OrderCheck
    tasks: int
    """The number of tasks."""

    def to_json(self) -> JsonObject:
        """The report as JSON values."""
        reasons = Counter(rejected.reason for rejected in self.rejected)
        return {
            "answers": {
                "read": len(self.taken) + len(self.rejected),
                "taken": len(self.taken),
                "rejected": dict(sorted(reasons.items())),
            },
            "sets": {
                "tasks": self.tasks,
                "with_references": len(self.references),
                "open": len(self.open_tasks),
                "references_wanted": sum(number for _, number in self.open_tasks),
            },
            "workers": {name: record.to_json() for name, record in self.workers.items()},
            "order": self.order.to_json(),
        }


def collect_result(tasks: Sequence[Task], judged: Judged, rejected: Iterable[Rejected], wanted: int = 1) -> Result:
    """Groups the taken answers by task. `rejected` are the answers rejected before limits were applied.

    A task with fewer than `wanted` references is open. Raises InputError where no answer was taken.
    """
    everything = sorted((*rejected, *judged.rejected), key=lambda one: _place(one.answer))
    if not judged.taken:
        reasons = Counter(one.reason for one in everything).most_common()
        counted = ", ".join(f"{reason} {count:,}" for reason, count in reasons) or "the files contain none"
        first = f"; the first: {everything[0].answer.place}: {everything[0].detail}" if everything else ""
        raise InputError(
            f"none of {len(everything):,} answers can be taken ({counted}); check files, tasks and limits{first}"
        )
    answers: dict[str, list[Answer]] = {}
    for answer, _ in judged.taken:
        answers.setdefault(answer.task, []).append(answer)
    references = [Reference(task, tuple(answers[task.id])) for task in tasks if task.id in answers]
    lacking = ((task, wanted - len(answers.get(task.id, ()))) for task in tasks)
    open_tasks = [(task, number) for task, number in lacking if number > 0]
    order = check_order(Example(one.task.concepts, tuple(a.sentence for a in one.answers)) for one in references)
    return Result(
        references=references,
        open_tasks=open_tasks,
        taken=judged.taken,
        rejected=everything,
        workers=judged.workers,
        order=order,
        tasks=len(tasks),
    )


def write_result(directory: str, result: Result, report: Mapping[str, object]) -> None:
    """Writes references.jsonl, references_src.txt and _trg.txt, answers.jsonl, rejected.jsonl, open.* and report.json.

    `report` is the content of report.json. Raises OutputError unless the directory is new or empty.
    """
    if storage.list_files(directory):
        raise OutputError(f"{directory} exists already; choose another directory")
    pairs = [(one.task.concepts, answer) for one in result.references for answer in one.answers]
    contents = {
        "references.jsonl": to_json_lines(map(_published, result.references)),
        "references_src.txt": "".join(f"{' '.join(concepts)}\n" for concepts, _ in pairs),
        "references_trg.txt": "".join(f"{answer.sentence}\n" for _, answer in pairs),
        "answers.jsonl": to_json_lines(_fields(answer) | measures._asdict() for answer, measures in result.taken),
        "rejected.jsonl": to_json_lines(
            _fields(one.answer) | {"reason": one.reason, "detail": one.detail} for one in result.rejected
        ),
        "report.json": json.dumps(report, ensure_ascii=False, indent=1) + "\n",
    }
    if result.open_tasks:
        still, numbers = zip(*result.open_tasks)
        write_tasks(directory, still, numbers, name="open")
    for name, text in contents.items():
        storage.write_bytes(storage.join(directory, name), text.encode())


def _published(reference: Reference) -> JsonObject:
    return {
        "concept_set": SEPARATOR.join(reference.task.concepts),
        "scene": [answer.sentence for answer in reference.answers],
        "reason": [answer.rationale for answer in reference.answers],
    }


def _fields(answer: Answer) -> JsonObject:
    return {
        "place": answer.place,
        "id": answer.task,
        "worker": answer.worker,
        "sentence": answer.sentence,
        "sentence_id": text_id(answer.sentence),
        "rationale": answer.rationale,
    }


def _place(answer: Answer) -> tuple[str, int]:
    path, _, record = answer.place.rpartition("#")
    return path, int(record)
