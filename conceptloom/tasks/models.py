"""What a task with a model is: opened once in a process, then run on one block after the other."""

import json
from typing import ClassVar, Protocol

from conceptloom.tasks.base import Output, Task

COUNTED = "counted"
"""The tag of an output that goes nowhere but into counters: what a task counted while it worked."""


class ModelTask(Protocol):
    """A frozen dataclass of settings and paths, pickled to wherever the model is opened."""

    outputs: ClassVar[tuple[str, ...]]

    def open(self) -> Task:
        """Returns the task with its model. One thread runs it at a time; it stays in the process that opened it.

        What it yields for a block depends on that block alone, not on what it ran before. Raises ConfigError where
        something that it needs is missing.
        """


def counted(bucket: int, **numbers: int) -> Output:
    """Returns the output that adds to counters: `items`, and whatever else a task counts, such as `truncated`."""
    return Output(COUNTED, bucket, json.dumps(numbers).encode())
