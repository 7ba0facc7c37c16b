"""The scoring of predictions as a PTransform."""

import apache_beam as beam

from conceptloom.tasks.evaluate import ScoreShard
from conceptloom.transforms.blocks import EachBucket, MapBlocks


class ScoreShards(beam.PTransform):
    """Scores `count` shards of items independently; the task writes the rows of each shard beside it."""

    def __init__(self, task: ScoreShard, count: int) -> None:
        super().__init__()
        self._task = task
        self._count = count

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection:
        return (begin | "Shards" >> EachBucket(self._count) | "Score" >> MapBlocks(self._task))["scored"]
