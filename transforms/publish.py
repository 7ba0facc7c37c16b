"""Stage publish as a PTransform."""

from collections.abc import Sequence

import apache_beam as beam

from conceptloom.tasks.publish import Copy, DataFile, PublishFiles, Shape
from conceptloom.transforms.blocks import GroupBlocks, MapBlocks
from conceptloom.transforms.receipts import CollectReceipts


class Publish(beam.PTransform):
    """Writes the final files, each in a single call; only the list of files is shuffled."""

    def __init__(self, jobs: Sequence[DataFile | Copy], output: str, directory: str, shape: Shape) -> None:
        super().__init__()
        self._shape = shape
        self._jobs = [(number, job.encode()) for number, job in enumerate(jobs)]
        self._output = output
        self._directory = directory

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection[str]:
        jobs = begin | "Files" >> beam.Create(self._jobs, reshuffle=False) | "Spread" >> GroupBlocks()
        written = jobs | "Publish" >> MapBlocks(PublishFiles(self._output, self._shape))
        return (written["receipts"],) | "Receipts" >> CollectReceipts("publish", self._directory)
