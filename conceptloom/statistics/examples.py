"""Blocks of examples: from sentences, rows or single examples to one schema."""

from collections.abc import Iterable

import pyarrow as pa

from conceptloom.examples import Example
from conceptloom.schemas import STRINGS

EXAMPLES = pa.schema([("concepts", STRINGS), ("sentences", STRINGS), ("source", pa.string())])
"""A block of examples."""


def examples_table(examples: Iterable[Example]) -> pa.Table:
    """The examples as a block of schema EXAMPLES."""
    rows = list(examples)
    columns = [[row.concepts for row in rows], [row.sentences for row in rows], [row.source for row in rows]]
    return pa.table([pa.array(column, kind) for column, kind in zip(columns, EXAMPLES.types)], schema=EXAMPLES)


def examples_of_sentences(sentences: pa.Table) -> pa.Table:
    """A shard of schema SENTENCES as examples of one sentence each."""
    texts = sentences["text"].combine_chunks()
    singles = pa.ListArray.from_arrays(pa.array(range(len(texts) + 1), pa.int32()), texts)
    return pa.table([sentences["concepts"], singles, sentences["source"]], schema=EXAMPLES)


def examples_of_data(data: pa.Table) -> pa.Table:
    """A shard of schema DATA as examples: the target and the references, among which it is not counted twice."""
    pairs = zip(data["target"].to_pylist(), data["references"].to_pylist())
    sentences = [extra if target in (extra or ()) else [target, *(extra or ())] for target, extra in pairs]
    return pa.table([data["concepts"], pa.array(sentences, STRINGS), data["source"]], schema=EXAMPLES)
