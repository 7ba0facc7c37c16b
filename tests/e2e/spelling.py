"""A task for tests, in a module that a worker process can import."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from conceptloom.tasks.base import Output


@dataclass(frozen=True)
class Spell:
    """Answers as many bytes as its bucket's number, in two blocks."""

    outputs: ClassVar[tuple[str, ...]] = ("letters", "digits")

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        yield Output("letters", 0, b"a" * bucket)
        yield Output("letters", 1, b"b" * bucket)
        yield Output("digits", 0, b"1")
