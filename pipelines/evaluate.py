"""Computes the rows of an evaluation on a runner's workers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from conceptloom import storage
from conceptloom.metrics import BLOCK, Blockwise, Metric
from conceptloom.metrics.evaluation import Rows
from conceptloom.metrics.inputs.item_tables import blocks_of
from conceptloom.pipelines.build.engine import Runner
from conceptloom.tasks.evaluate import ScoreShard, read_rows, write_items
from conceptloom.transforms.evaluate import ScoreShards


@dataclass(frozen=True)
class RowsByRunner:
    """A `metrics.evaluation.RowsOf` that computes rows on an open runner, for the metrics of `task`.

    It writes shards of items to the task's directory, which the workers must be able to access, reads their rows from
    there, and deletes the directory.
    """

    runner: Runner
    task: ScoreShard

    def __call__(self, metrics: Sequence[Metric], items: pa.Table) -> Iterable[Rows]:
        """Returns the rows of all items, block by block; raises the ConceptloomError of a failed task."""
        if not any(isinstance(metric, Blockwise) for metric in metrics):
            return ()
        directory, blocks = self.task.directory, list(blocks_of(items, BLOCK))
        try:
            for bucket, block in enumerate(blocks):
                write_items(directory, bucket, block)
            self.runner.run("evaluate", lambda begin: begin | "Evaluate" >> ScoreShards(self.task, len(blocks)))
            return [read_rows(directory, bucket) for bucket in range(len(blocks))]
        finally:
            storage.delete_tree(directory)
