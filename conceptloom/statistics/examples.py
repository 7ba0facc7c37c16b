"""Blocks of examples: sentences, rows and single examples in one schema."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from conceptloom.arrays.lists import list_array
from conceptloom.examples import Example
from conceptloom.schemas import STRINGS

EXAMPLES = pa.schema([("concepts", STRINGS), ("sentences", STRINGS), ("source", pa.string())])
"""A block of examples."""


def examples_table(examples: Iterable[Example]) -> pa.Table:
    """Returns the examples as a block of schema EXAMPLES."""
    rows = list(examples)
    columns = [[row.concepts for row in rows], [row.sentences for row in rows], [row.source for row in rows]]
    return pa.table([pa.array(column, kind) for column, kind in zip(columns, EXAMPLES.types)], schema=EXAMPLES)


def examples_of_sentences(sentences: pa.Table) -> pa.Table:
    """Returns a shard of schema SENTENCES as examples of one sentence each."""
    texts = sentences["text"].combine_chunks()
    singles = list_array(texts, np.arange(len(texts) + 1))
    return pa.table([sentences["concepts"], singles, sentences["source"]], schema=EXAMPLES)


def examples_of_data(data: pa.Table) -> pa.Table:
    """Returns a shard of schema DATA as examples: the target and the references, without counting the target twice."""
    pairs = zip(data["target"].to_pylist(), data["references"].to_pylist())
    sentences = [extra if target in (extra or ()) else [target, *(extra or ())] for target, extra in pairs]
    return pa.table([data["concepts"], pa.array(sentences, STRINGS), data["source"]], schema=EXAMPLES)
