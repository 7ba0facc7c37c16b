"""Examples of a data set, read from its files for statistics and variants."""

import pyarrow as pa

from conceptloom.examples import Example
from conceptloom.readers.commongen import read_parallel, target_of, without_tags
from conceptloom.readers.published import read_examples
from conceptloom.storage import match
from conceptloom.tables import read_table

COLUMNS = ["concepts", "references", "source"]
"""The columns of a build's data/ that statistics are made of."""


def load_examples(argument: str) -> list[Example]:
    """Returns the examples of `PATTERN` or `SOURCE=PATTERN`, in the order of the files and of their rows.

    Parquet files have the columns of a build's data/, including their source. CommonGen's parallel text is named by its
    file of concept sets (`*src.txt`); its sentences are in the file beside it (`*trg.txt`, `*tgt.txt`). Anything else
    is read as one of the published formats; CommonGen's concepts (`field_N`) lose their part of speech. Raises
    InputError for a file that cannot be read.
    """
    source, equals, pattern = argument.partition("=")
    if not equals or "/" in source:
        source, pattern = "", argument
    return [example for info in match(pattern) for example in _load(info.path, source or None)]


def _load(path: str, source: str | None) -> list[Example]:
    if path.endswith(".parquet"):
        return examples_of(read_table(path, COLUMNS), source)
    target = target_of(path)
    examples = read_parallel(path, target) if target else read_examples(path)
    return [without_tags(example)._replace(source=source) for example in examples]


def examples_of(rows: pa.Table, source: str | None = None) -> list[Example]:
    """Returns the examples of rows of a build's data/ (COLUMNS), of their own source or of the given one."""
    return [
        Example(tuple(row["concepts"]), tuple(row["references"]), source or row["source"]) for row in rows.to_pylist()
    ]
