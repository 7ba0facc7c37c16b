"""Collects the receipts of a stage's tasks: as counters of the runner, and as one file for the stage's manifest."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import apache_beam as beam
from apache_beam.metrics import Metrics

from conceptloom import storage
from conceptloom.tables import Block
from conceptloom.transforms.blocks import GroupBlocks

FILE = "receipts.json"


class CountReceipt(beam.DoFn):
    """Adds the counts of a receipt to the runner's counters."""

    def __init__(self, stage: str) -> None:
        self._stage = stage

    def process(self, element: Block) -> Iterator[Block]:
        for count in json.loads(element[1])["ledger"].values():
            self._count("read", count["read"])
            self._count("kept", count["kept"])
            for reason, number in count["rejected"].items():
                self._count(f"rejected_{reason}", number)
        yield element

    def _count(self, name: str, number: int) -> None:
        if number:
            Metrics.counter(self._stage, name).inc(number)


class CollectReceipts(beam.PTransform):
    """Writes all receipts of a stage to one file in its directory, in the same order on every runner."""

    def __init__(self, stage: str, directory: str) -> None:
        super().__init__()
        self._stage = stage
        self._path = storage.join(directory, FILE)

    # Beam reads this signature as type hints, and knows none for several inputs (a tuple of PCollections).
    def expand(self, receipts: Any) -> beam.PCollection[str]:
        return (
            receipts
            | "All receipts" >> beam.Flatten()
            | "Count" >> beam.ParDo(CountReceipt(self._stage)).with_output_types(tuple[int, bytes])
            | "Bring together" >> GroupBlocks()
            | "Write" >> beam.Map(write_receipts, self._path)
        )


def write_receipts(element: tuple[int, Iterable[bytes]], path: str) -> str:
    """Writes the receipts as a sorted JSON array; returns the path."""
    storage.write_bytes(path, b"[" + b",\n".join(sorted(element[1])) + b"]\n")
    return path


def read_receipts(directory: str) -> list[dict[str, object]]:
    """Returns the receipts in the directory of a stage."""
    receipts: list[dict[str, object]] = json.loads(storage.read_bytes(storage.join(directory, FILE)))
    return receipts
