"""CommonGen's own files: JSON lines {"concept_set": "a_N#b_V", "scene": […], "reason": […]}, and parallel text.

Parallel text is two files: one has a concept set on each line (`train_src.txt`, `commongen.train.src_alpha.txt`), the
other a sentence for it on the same line (`train_trg.txt`, `commongen.train.tgt.txt`), or an empty line.
"""

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import BinaryIO, ClassVar, Literal

from conceptloom import storage
from conceptloom.errors import InputError
from conceptloom.examples import Example
from conceptloom.readers.base import READERS, Entry, ReaderEntry
from conceptloom.readers.fields import field_name
from conceptloom.readers.jsonl import JsonLines
from conceptloom.readers.lines import sound_lines

_SOURCE = re.compile(r"(?P<before>.*[._/])?src(?:_[a-z]+)?(?P<after>\.txt(?:\.gz)?)")
_TARGETS = ("trg", "tgt")


@dataclass(frozen=True)
class CommonGen:
    """A record is a set; its items are the scenes, or the reasons why the scenes are plausible."""

    splittable: ClassVar[bool] = True
    part: Literal["scene", "reason"] = dataclasses.field(default="scene", metadata={"option": "field"})

    def read(self, stream: BinaryIO, encoding: str, first: int) -> Iterator[Entry]:
        """See `Reader.read`. A blank line is a record without text."""
        return JsonLines(f"{self.part}[]").read(stream, encoding, first)

    def field(self, item: int) -> str:
        """Returns a name such as `scene[0]`."""
        return field_name(f"{self.part}[]", item)


def target_of(path: str) -> str | None:
    """Returns the file with the sentences for a file of concept sets, or None if this is no name of parallel text.

    Raises InputError if the file with the sentences does not exist.
    """
    found = _SOURCE.fullmatch(path)
    if not found:
        return None
    names = [f"{found['before'] or ''}{target}{found['after']}" for target in _TARGETS]
    target = next((name for name in names if storage.exists(name)), None)
    if target is None:
        raise InputError(f"{path}: its sentences are missing; put {' or '.join(names)} beside it")
    return target


def read_parallel(source: str, target: str) -> Iterator[Example]:
    """Yields the examples of parallel text: each distinct line of the source, in order, with its sentences.

    A set with an empty line beside it waits for its references. Memory: the files. Raises InputError as `read_pairs`.
    """
    examples: dict[str, list[str]] = {}
    for concepts, found in _pairs(source, target):
        examples.setdefault(concepts, []).extend(found)
    yield from (Example(tuple(concepts.split()), tuple(found)) for concepts, found in examples.items())


def read_pairs(source: str, target: str) -> Iterator[Example]:
    """Yields each line of parallel text as an example, with its sentence, or with none for an empty line.

    Raises InputError, naming the line, if one file is longer or a line cannot be read.
    """
    return (Example(tuple(concepts.split()), tuple(found)) for concepts, found in _pairs(source, target))


def _pairs(source: str, target: str) -> Iterator[tuple[str, list[str]]]:
    for number, (concepts, sentence) in enumerate(zip_longest(sound_lines(source), sound_lines(target)), 1):
        if concepts is None or sentence is None:
            longer, shorter = (target, source) if concepts is None else (source, target)
            raise InputError(f"{longer}: line {number} has no counterpart in {shorter}; get both files again")
        if not concepts.strip():
            raise InputError(f"{source}: line {number} has no concepts; fix this line")
        yield concepts, [sentence] if sentence.strip() else []


READERS.add("commongen", ReaderEntry("CommonGen's JSON lines with scenes and reasons", CommonGen))
