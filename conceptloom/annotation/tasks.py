"""Annotation tasks: a concept set that a person writes a sentence for, as JSON lines and as a spreadsheet's table."""

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from conceptloom import storage
from conceptloom.concepts import ids_of_sets
from conceptloom.corpus.analysis import shuffled
from conceptloom.errors import InputError, OutputError
from conceptloom.examples import Example
from conceptloom.hashing import id_heads
from conceptloom.publishing import TO_FILL, task_line
from conceptloom.readers.base import Malformed, Text
from conceptloom.readers.jsonl import parse_line
from conceptloom.readers.lines import sound_lines

SEPARATOR = "#"
_INSPIRATION_SEPARATOR = " | "
_CURE = "name the tasks.jsonl of the export, or the file of a build's annotation/, unchanged"


class Task(NamedTuple):
    """A concept set in the order in which it is shown, and corpus sentences that hold it, if they are shown too."""

    id: str
    concepts: tuple[str, ...]
    inspiration: tuple[str, ...] = ()


def make_tasks(examples: Iterable[Example], seed: int, *, show_inspiration: bool = False) -> list[Task]:
    """A task for each distinct set, sorted by id, its concepts in an order that the seed and the set alone decide.

    `show_inspiration`: the set's distinct sentences go along, sorted.
    """
    sentences: dict[tuple[str, ...], set[str]] = {}
    for example in examples:
        sentences.setdefault(tuple(sorted(set(example.concepts))), set()).update(example.sentences)
    by_id = sorted(zip(ids_of_sets(list(sentences)), sentences, strict=True))
    shown = _shuffled_sets([identifier for identifier, _ in by_id], [concepts for _, concepts in by_id], seed)
    return [
        Task(identifier, order, tuple(sorted(sentences[concepts])) if show_inspiration else ())
        for (identifier, concepts), order in zip(by_id, shown, strict=True)
    ]


def write_tasks(
    directory: str, tasks: Sequence[Task], copies: Sequence[int] | None = None, name: str = "tasks"
) -> list[str]:
    """Writes NAME.jsonl, a line a task, and NAME.csv to be filled in, a row a task; answers their paths.

    `copies`: how many rows each task has, for as many workers. Raises OutputError where there is such a file already:
    it may be filled in.
    """
    rows = [task for task, count in zip(tasks, copies or [1] * len(tasks), strict=True) for _ in range(count)]
    contents = {
        storage.join(directory, f"{name}.jsonl"): "".join(task_line(*task) for task in tasks),
        storage.join(directory, f"{name}.csv"): _table(rows),
    }
    for path in contents:
        if storage.exists(path):
            raise OutputError(f"{path}: there is such a file already; choose another directory")
    for path, text in contents.items():
        storage.write_bytes(path, text.encode())
    return list(contents)


def read_tasks(path: str) -> list[Task]:
    """The tasks of a file that `write_tasks` wrote (JSON lines).

    Raises InputError, with the line, for one that is no task, whose id is not that of its concepts, or that is there
    twice.
    """
    tasks: dict[str, Task] = {}
    for number, line in enumerate(sound_lines(path), 1):
        if line.strip():
            task = _parse_task(f"{path}: line {number}", Text(number, 0, line))
            if task.id in tasks:
                raise InputError(f"{path}: line {number}: task {task.id} is there twice; remove one of them")
            tasks[task.id] = task
    if not tasks:
        raise InputError(f"{path}: there is no task in it; {_CURE}")
    return list(tasks.values())


def _parse_task(place: str, line: Text) -> Task:
    value = parse_line(line)
    if isinstance(value, Malformed):
        raise InputError(f"{place}: {value.reason}: {value.detail}; {_CURE}")
    if not isinstance(value, dict) or not isinstance(value.get("id"), str) or not _are_texts(value.get("concepts")):
        raise InputError(f"{place}: a task has an id and a list of concepts; {_CURE}")
    inspiration = value.get("inspiration", [])
    if [value["id"]] != ids_of_sets([value["concepts"]]) or not (inspiration == [] or _are_texts(inspiration)):
        raise InputError(f"{place}: the id is not that of these concepts; {_CURE}")
    return Task(value["id"], tuple(value["concepts"]), tuple(inspiration))


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(isinstance(text, str) and text for text in value)


def _shuffled_sets(ids: list[str], sets: list[tuple[str, ...]], seed: int) -> list[tuple[str, ...]]:
    offsets = np.concatenate(([0], np.cumsum([len(each) for each in sets], dtype=np.int64))).astype(np.int64)
    flat = [concept for each in sets for concept in each]
    order = shuffled(id_heads(np.array(ids, dtype="S20")), offsets, seed)
    return [tuple(flat[at] for at in order[start:end]) for start, end in pairwise(offsets)]


def _table(tasks: Sequence[Task]) -> str:
    """With a byte-order mark: spreadsheets take the file for UTF-8 by it."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    shown = ["inspiration"] if any(task.inspiration for task in tasks) else []
    table.writerow(["id", "concepts", *shown, *TO_FILL])
    for task in tasks:
        inspiration = [_INSPIRATION_SEPARATOR.join(task.inspiration)] if shown else []
        table.writerow([task.id, ", ".join(task.concepts), *inspiration, *("" for _ in TO_FILL)])
    return "\ufeff" + text.getvalue()
