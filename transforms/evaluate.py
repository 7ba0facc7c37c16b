"""Scoring of predictions as a PTransform."""

from typing import Any

import apache_beam as beam

from conceptloom.tasks.evaluate import ScoreShard
from conceptloom.transforms.blocks import EachBucket, MapBlocks


class ScoreShards(beam.PTransform):
    """Scores `count` shards of items, each by itself; their rows lie beside them afterwards."""

    def __init__(self, task: ScoreShard, count: int) -> None:
        super().__init__()
        self._task = task
        self._count = count

    def expand(self, begin: Any) -> beam.PCollection[Any]:
        return (begin | "Shards" >> EachBucket(self._count) | "Score" >> MapBlocks(self._task))["scored"]
