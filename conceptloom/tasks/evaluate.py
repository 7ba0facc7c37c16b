"""Scores a shard of items: the part of `metrics.evaluation` that workers do."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from conceptloom import storage
from conceptloom.metrics import make_metrics
from conceptloom.metrics.evaluation import Rows, rows_of
from conceptloom.tables import read_table, write_table
from conceptloom.tasks.base import Output, shard_name


@dataclass(frozen=True)
class ScoreShard:
    """Reads a shard of items and writes their rows (see `write_rows`) next to it."""

    preset: str
    options: tuple[tuple[str, str], ...]
    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("scored",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """See `Task`."""
        metrics = make_metrics(self.preset, dict(self.options))
        items = read_table(storage.join(self.directory, shard_name("items", bucket)))
        write_rows(self.directory, bucket, rows_of(metrics, items))
        yield Output("scored", bucket, b"")


def write_items(directory: str, bucket: int, items: pa.Table) -> None:
    """Writes the shard of items that a task reads."""
    write_table(storage.join(directory, shard_name("items", bucket)), items)


def write_rows(directory: str, bucket: int, rows: Rows) -> None:
    """Writes the rows of a shard, with a column for each metric; Parquet keeps numbers exactly."""
    columns = [pa.FixedSizeListArray.from_arrays(pa.array(np.ravel(part)), part.shape[1]) for part in rows]
    table = pa.Table.from_arrays(columns, [str(number) for number in range(len(columns))])
    write_table(storage.join(directory, shard_name("rows", bucket)), table)


def read_rows(directory: str, bucket: int) -> Rows:
    """The inverse of `write_rows`."""
    table = read_table(storage.join(directory, shard_name("rows", bucket)))
    return [
        column.combine_chunks().flatten().to_numpy().reshape(len(table), column.type.list_size)
        for column in table.columns
    ]
