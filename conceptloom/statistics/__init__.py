"""The statistics of a data set: Korean CommonGen's table 1 with both definitions of unseen tuples, and CommonGen's."""

from conceptloom.statistics.counts import SIZE_BINS, Counts, count_block
from conceptloom.statistics.examples import EXAMPLES, examples_of_data, examples_of_sentences, examples_table
from conceptloom.statistics.summary import DatasetStatistics, SplitStatistics, dataset_statistics, split_statistics
from conceptloom.statistics.text_table import text_table
from conceptloom.statistics.tuples import (
    TupleCounts,
    TupleStatistics,
    count_tuples,
    merge_tuples,
    tuple_columns,
    tuple_statistics,
    tuple_table,
)
from conceptloom.statistics.unseen import EvalTuples, Unseen, eval_tuples, seen_in, unseen

__all__ = [
    "EXAMPLES",
    "SIZE_BINS",
    "Counts",
    "DatasetStatistics",
    "EvalTuples",
    "SplitStatistics",
    "TupleCounts",
    "TupleStatistics",
    "Unseen",
    "count_block",
    "count_tuples",
    "dataset_statistics",
    "eval_tuples",
    "examples_of_data",
    "examples_of_sentences",
    "examples_table",
    "merge_tuples",
    "seen_in",
    "split_statistics",
    "text_table",
    "tuple_columns",
    "tuple_statistics",
    "tuple_table",
    "unseen",
]
