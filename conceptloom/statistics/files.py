"""Examples of a data set, read from its files for statistics and variants."""

from collections.abc import Callable, Iterator

import pyarrow as pa

from conceptloom.examples import Example, without_tags
from conceptloom.readers.commongen import read_pairs, read_parallel, target_of
from conceptloom.readers.published import read_examples
from conceptloom.storage import match
from conceptloom.tables import read_table

COLUMNS = ["concepts", "references", "source"]
"""The columns of a build's data/ that statistics are made of."""

Read = Callable[[str, str | None], Iterator[Example]]
"""Reads a file; of parallel text it is given the second file too."""


def load_examples(argument: str) -> list[Example]:
    """Returns the examples of `PATTERN` or `SOURCE=PATTERN`, in the order of the files and of their rows.

    Parquet files have the columns of a build's data/, including their source. CommonGen's parallel text is named by its
    file of concept sets (`*src.txt`); its sentences are in the file beside it (`*trg.txt`, `*tgt.txt`). Anything else
    is read as one of the published formats; CommonGen's concepts (`field_N`) lose their part of speech. Raises
    InputError for a file that cannot be read.
    """
    return _loaded(argument, _without_tags)


def load_stored(argument: str) -> list[Example]:
    """As `load_examples`, but as they are stored: each line of parallel text is an example, and tags are kept."""
    return _loaded(argument, _as_stored)


def _loaded(argument: str, read: Read) -> list[Example]:
    source, equals, pattern = argument.partition("=")
    if not equals or "/" in source:
        source, pattern = "", argument
    return [example for info in match(pattern) for example in _load(info.path, source or None, read)]


def _load(path: str, source: str | None, read: Read) -> list[Example]:
    if path.endswith(".parquet"):
        return examples_of(read_table(path, COLUMNS), source)
    return [example._replace(source=source) for example in read(path, target_of(path))]


def _without_tags(path: str, target: str | None) -> Iterator[Example]:
    return map(without_tags, read_parallel(path, target) if target else read_examples(path))


def _as_stored(path: str, target: str | None) -> Iterator[Example]:
    return read_pairs(path, target) if target else read_examples(path)


def examples_of(rows: pa.Table, source: str | None = None) -> list[Example]:
    """Returns the examples of rows of a build's data/ (COLUMNS), of their own source or of the given one."""
    return [
        Example(tuple(row["concepts"]), tuple(row["references"]), source or row["source"]) for row in rows.to_pylist()
    ]
