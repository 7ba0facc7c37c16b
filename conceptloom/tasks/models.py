"""What a task with a model is: opened once in a process, then run on one block after the other."""

import json
from collections.abc import Iterable, Iterator
from typing import ClassVar, Protocol

from conceptloom.tasks.base import Output

COUNTED = "counted"
"""The tag of an output that goes nowhere but into counters: what a task counted while it worked."""


class OpenModelTask(Protocol):
    """A model that is ready to work. One thread uses it at a time."""

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields the results for one bucket; they depend on its blocks alone, not on what was run before."""


class ModelTask(Protocol):
    """A frozen dataclass of settings and paths, pickled to wherever the model is opened.

    As a Task it may run twice for the same bucket, so what it writes is the same each time and replaces whole files.
    """

    outputs: ClassVar[tuple[str, ...]]

    def open(self) -> OpenModelTask:
        """Returns the task with its model; raises ConfigError where something that it needs is missing."""


def counted(bucket: int, **numbers: int) -> Output:
    """Returns the output that adds to counters: `items`, and whatever else a task counts, such as `truncated`."""
    return Output(COUNTED, bucket, json.dumps(numbers).encode())
