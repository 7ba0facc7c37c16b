"""The sentences that predictions are compared with: from a build, from published lines, or from parallel text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import islice, zip_longest
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.arrays.building import text_array
from conceptloom.arrays.columns import one_array
from conceptloom.arrays.lists import list_array, string_lists
from conceptloom.errors import InputError
from conceptloom.examples import Example, without_tags
from conceptloom.manifest import read_manifest
from conceptloom.metrics.inputs.input_notes import InputNote, InputNotes
from conceptloom.metrics.inputs.lines import lines_of, require_text
from conceptloom.readers.base import Malformed, Text
from conceptloom.readers.commongen import target_of
from conceptloom.readers.published import parse_example
from conceptloom.schemas import STRINGS
from conceptloom.tables import read_table

SCHEMA = pa.schema(
    [("key", pa.string()), ("concepts", STRINGS), ("references", STRINGS), ("source", pa.string())],
)
"""A concept set with its references. `key` is its id in a build, otherwise the set as it is written."""

GIVEN = "references"
"""Stands for a path in messages on references that are not from a file."""

_CHUNK = 8192
Row: TypeAlias = tuple[str, tuple[str, ...], tuple[str, ...], str]
"""A row of SCHEMA."""


@dataclass(frozen=True)
class References:
    """References in their order, with a row for each set (`sets`) and with a row for each sentence (`lines`)."""

    path: str
    sets: pa.Table
    notes: tuple[InputNote, ...] = ()
    parallel: pa.Table | None = None
    """The rows of parallel text, in which the lines of a set need not be adjacent."""

    @cached_property
    def sentences(self) -> int:
        """The number of rows of `lines`."""
        return pc.sum(pc.list_value_length(self.sets["references"])).as_py() or 0

    @cached_property
    def lines(self) -> pa.Table:
        """A row for each sentence, which is then its only reference."""
        if self.parallel is not None:
            return self.parallel
        column = one_array(self.sets["references"])
        single = list_array(column.flatten(), np.arange(len(column.flatten()) + 1))
        taken = self.sets.take(pc.list_parent_indices(column))
        return taken.set_column(2, SCHEMA.field("references"), single)

    @cached_property
    def set_of_line(self) -> list[int]:
        """For each row of `lines`, the row of `sets` to which it belongs."""
        if self.parallel is not None:
            return pc.index_in(one_array(self.parallel["key"]), one_array(self.sets["key"])).to_pylist()
        return pc.list_parent_indices(one_array(self.sets["references"])).to_pylist()

    @cached_property
    def digest(self) -> str:
        """A hash of sets and sentences, independent of the format they were read from: 16 hexadecimal digits."""
        between, behind = text_array(["\x1e", "\x1f"])
        joined = (pc.binary_join(self.sets[name], between) for name in ("concepts", "references"))
        found = blake2b(digest_size=8)
        for text in pc.binary_join_element_wise(*joined, behind):
            found.update(text.as_py().encode() + b"\n")
        return found.hexdigest()


def given_references(examples: Sequence[Example]) -> References:
    """Examples of the running program as references; raises InputError where there are none, or one lacks sentences."""
    bare = next((number for number, one in enumerate(examples, 1) if not one.sentences), 0)
    if not examples or bare:
        raise InputError(f"{GIVEN}: {f'example {bare} has no sentence' if bare else 'there are none'}; give some")
    rows = (("#".join(one.concepts), one.concepts, one.sentences, one.source or "") for one in examples)
    return References(GIVEN, _table(rows))


def read_references(path: str, split: str = "test") -> References:
    """The references at a path: the `split` of a build's directory, a file of lines, or parallel text.

    Lines are JSON ({"concept-set": "a#b", "scene": […]}) or text ([SOS] a#b = sentence = sentence [EOS]). Parallel text
    is named by its file of concept sets (`*src*.txt`), which has its sentences beside it (`*trg*.txt`, `*tgt*.txt`).
    Raises InputError, with file and line, for a line that cannot be read, an empty sentence, or an empty file.
    """
    notes = InputNotes(path)
    is_build = read_manifest(path) is not None
    target = None if is_build else target_of(path)
    if is_build:
        found = References(path, _of_build(path, split))
    elif target is not None:
        lines = _table(_parallel_rows(path, target, notes))
        found = References(path, _table(_grouped(lines)), notes.collected(), lines)
    elif storage.list_files(path):
        raise InputError(f"{path}: this directory holds no finished build; name one, or a file")
    else:
        found = References(path, _table(_line_rows(path, notes)), notes.collected())
    if not found.sentences:
        raise InputError(f"{path}: there are no references; name a file or a finished build that has some")
    return found


def _of_build(directory: str, split: str) -> pa.Table:
    prefix = storage.join(directory, f"data/{split}-")
    paths = [info.path for info in storage.list_files(directory) if info.path.startswith(prefix)]
    if not paths:
        raise InputError(f"{directory}: this build has no split {split!r}; choose another --split")
    tables = [read_table(path, ["id", *SCHEMA.names[1:]]) for path in paths]
    return pa.concat_tables(tables).rename_columns(SCHEMA.names).cast(SCHEMA)


def _line_rows(path: str, notes: InputNotes) -> Iterator[Row]:
    for line in lines_of(path, notes):
        parsed = parse_example(line)
        if isinstance(parsed, Example):
            yield _row(line, "#".join(parsed.concepts), without_tags(parsed), path)
        elif isinstance(parsed, Malformed):
            raise InputError(f"{path}: line {line.record}: {parsed.reason}: {parsed.detail}; fix this line")
        else:
            notes.add("blank_lines", line.record)


def _parallel_rows(source: str, target: str, notes: InputNotes) -> Iterator[Row]:
    other = InputNotes(target)
    for number, (left, right) in enumerate(zip_longest(lines_of(source, notes), lines_of(target, other)), 1):
        if left is None or right is None:
            longer, shorter = (target, source) if left is None else (source, target)
            raise InputError(f"{longer}: line {number} has no counterpart in {shorter}; get both files again")
        if not left.text.strip():
            raise InputError(f"{source}: line {number} has no concepts; fix this line")
        sentences = (right.text,) if right.text.strip() else ()
        yield _row(right, left.text, Example(tuple(left.text.split()), sentences), target)


def _row(line: Text, key: str, example: Example, path: str) -> Row:
    try:
        for number, text in enumerate(example.sentences, 1):
            if not require_text(line, text).text.strip():
                raise InputError(f"line {line.record}: reference {number} is empty; fix this line")
        require_text(line, key)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return key, example.concepts, example.sentences, ""


def _grouped(lines: pa.Table) -> Iterator[Row]:
    sets: dict[str, tuple[tuple[str, ...], list[str]]] = {}
    for row in lines.to_pylist():
        sets.setdefault(row["key"], (tuple(row["concepts"]), []))[1].extend(row["references"])
    yield from ((key, concepts, tuple(found), "") for key, (concepts, found) in sets.items())


def _table(rows: Iterable[Row]) -> pa.Table:
    """Rows as a table, converted chunk by chunk: as Python objects they take ten times the memory."""
    remaining, batches = iter(rows), []
    while chunk := list(islice(remaining, _CHUNK)):
        keys, concepts, references, sources = zip(*chunk)
        columns = [text_array(keys), string_lists(concepts), string_lists(references), text_array(sources)]
        batches.append(pa.RecordBatch.from_arrays(columns, schema=SCHEMA))
    return pa.Table.from_batches(batches, SCHEMA)
