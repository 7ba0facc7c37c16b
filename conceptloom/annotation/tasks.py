"""Annotation tasks: concept sets for which people write sentences, as JSON lines and as a table for spreadsheets."""

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from conceptloom import storage
from conceptloom.arrays.ids import ids_of_sets
from conceptloom.corpus.analysis import shuffled
from conceptloom.errors import InputError, OutputError
from conceptloom.examples import Example
from conceptloom.hashing import id_heads
from conceptloom.publishing import TO_FILL, task_line
from conceptloom.readers.base import Malformed, Text
from conceptloom.readers.encoding import BOM
from conceptloom.readers.jsonl import parse_line
from conceptloom.readers.lines import sound_lines

SEPARATOR = "#"
_INSPIRATION_SEPARATOR = " | "
_CURE = "name the tasks.jsonl of the export, or the file in a build's annotation/, unchanged"


class Task(NamedTuple):
    """A concept set in the order in which it is shown, with corpus sentences that contain it if these are shown too."""

    id: str
    concepts: tuple[str, ...]
    inspiration: tuple[str, ...] = ()


def make_tasks(examples: Iterable[Example], seed: int, *, show_inspiration: bool = False) -> list[Task]:
    """A task for each distinct set, sorted by id. The order of its concepts depends only on the seed and the set.

    With `show_inspiration` a task also has the set's distinct sentences, sorted.
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
    """Writes NAME.jsonl, with a line for each task, and NAME.csv to be filled in; returns their paths.

    NAME.csv begins with a byte-order mark: Python reads it with `encoding="utf-8-sig"`.
    `copies` is the number of rows of each task in NAME.csv, for as many workers. Raises OutputError where such a file
    exists, because it may have been filled in.
    """
    rows = [task for task, count in zip(tasks, copies or [1] * len(tasks), strict=True) for _ in range(count)]
    contents = {
        storage.join(directory, f"{name}.jsonl"): "".join(task_line(*task) for task in tasks),
        storage.join(directory, f"{name}.csv"): _table(rows),
    }
    for path in contents:
        if storage.exists(path):
            raise OutputError(f"{path}: this file exists already; choose another directory")
    for path, text in contents.items():
        storage.write_bytes(path, text.encode())
    return list(contents)


def read_tasks(path: str) -> list[Task]:
    """The tasks of a file that `write_tasks` wrote (JSON lines).

    Raises InputError, with the line, for a line that is not a task, an id that does not match its concepts, and a task
    that occurs twice.
    """
    tasks: dict[str, Task] = {}
    for number, line in enumerate(sound_lines(path), 1):
        if line.strip():
            task = _parse_task(f"{path}: line {number}", Text(number, 0, line))
            if task.id in tasks:
                raise InputError(f"{path}: line {number}: task {task.id} occurs twice; remove one of them")
            tasks[task.id] = task
    if not tasks:
        raise InputError(f"{path}: there are no tasks; {_CURE}")
    return list(tasks.values())


def _parse_task(place: str, line: Text) -> Task:
    value = parse_line(line)
    if isinstance(value, Malformed):
        raise InputError(f"{place}: {value.reason}: {value.detail}; {_CURE}")
    if not isinstance(value, dict) or not isinstance(value.get("id"), str) or not _are_texts(value.get("concepts")):
        raise InputError(f"{place}: a task has an id and a list of concepts; {_CURE}")
    inspiration = value.get("inspiration", [])
    if [value["id"]] != ids_of_sets([value["concepts"]]) or not (inspiration == [] or _are_texts(inspiration)):
        raise InputError(f"{place}: the id does not match the concepts; {_CURE}")
    return Task(value["id"], tuple(value["concepts"]), tuple(inspiration))


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(isinstance(text, str) and text for text in value)


def _shuffled_sets(ids: list[str], sets: list[tuple[str, ...]], seed: int) -> list[tuple[str, ...]]:
    offsets = np.concatenate(([0], np.cumsum([len(each) for each in sets], dtype=np.int64))).astype(np.int64)
    flat = [concept for each in sets for concept in each]
    order = shuffled(id_heads(np.array(ids, dtype="S20")), offsets, seed)
    return [tuple(flat[at] for at in order[start:end]) for start, end in pairwise(offsets)]


def _table(tasks: Sequence[Task]) -> str:
    """With a byte-order mark, without which Excel takes UTF-8 for the encoding of the country."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    shown = ["inspiration"] if any(task.inspiration for task in tasks) else []
    table.writerow(["id", "concepts", *shown, *TO_FILL])
    for task in tasks:
        inspiration = [_INSPIRATION_SEPARATOR.join(task.inspiration)] if shown else []
        table.writerow([task.id, ", ".join(task.concepts), *inspiration, *("" for _ in TO_FILL)])
    return BOM + text.getvalue()
