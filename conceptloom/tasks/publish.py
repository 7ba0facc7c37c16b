"""Stage publish: the final files, from the shards of the other stages."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.json_values import JsonObject
from conceptloom.ledger import Ledger
from conceptloom.tables import write_file, write_table
from conceptloom.tasks.base import RECEIPTS, Output, receipt
from conceptloom.tasks.shards import checked, read_shard


@dataclass(frozen=True)
class DataFile:
    """One file of one split: the shards with its rows, and their source (None for all sources)."""

    split: str
    name: str
    shards: tuple[str, ...]
    source: str | None = None

    def encode(self) -> bytes:
        """Returns the file as bytes for a task."""
        return json.dumps({"data": asdict(self)}).encode()


@dataclass(frozen=True)
class Copy:
    """One file of a stage that is published unchanged, and the hash of its content."""

    source: str
    target: str
    rows: int
    blake2b: str

    @classmethod
    def of(cls, directory: str, file: JsonObject, target: str) -> "Copy":
        """Returns the copy of a file of the stage in `directory`, given as its manifest's entry."""
        return cls(storage.join(directory, file["path"]), target, file["rows"], file["blake2b"])

    def encode(self) -> bytes:
        """Returns the copy as bytes for a task."""
        return json.dumps({"copy": asdict(self)}).encode()


class Shape(Protocol):
    """The rows of a recipe's shards, and how they are published. A frozen dataclass."""

    def rows(self, file: DataFile) -> pa.Table:
        """Returns the rows of one file, with the schema of the data set."""

    def write(self, output: str, file: DataFile, rows: pa.Table) -> list[JsonObject]:
        """Writes the rows in the published formats; returns the files' entries for a manifest."""

    def read(self, rows: pa.Table) -> Ledger:
        """Returns a ledger of the rows read."""


@dataclass(frozen=True)
class PublishFiles:
    """Writes or copies the final files into the build's directory."""

    output: str
    shape: Shape
    outputs: ClassVar[tuple[str, ...]] = (RECEIPTS,)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """A block is an encoded DataFile or Copy."""
        for block in blocks:
            ((kind, job),) = json.loads(block).items()
            if kind == "copy":
                copy = Copy(**job)
                data = checked(copy.source, storage.read_bytes(copy.source), copy.blake2b)
                file = write_file(storage.join(self.output, copy.target), data, copy.rows, copy.blake2b)
                yield receipt(bucket, Ledger(), [file])
            else:
                yield self._data(bucket, DataFile(**job))

    def _data(self, bucket: int, file: DataFile) -> Output:
        rows = self.shape.rows(file)
        table = write_table(storage.join(self.output, "data", f"{file.name}.parquet"), rows)
        files = [table, *self.shape.write(self.output, file, rows)]
        ledger = self.shape.read(rows)
        for counts in ledger.sources.values():
            counts.kept = counts.read
        return receipt(bucket, ledger, files)


def shard_rows(file: DataFile) -> pa.Table:
    """Returns the rows of one file as they are in its shards."""
    parts = []
    for shard in file.shards:
        table = read_shard(shard)
        mask = pc.equal(table["split"], file.split)
        if file.source is not None:
            mask = pc.and_(mask, pc.equal(table["source"], file.source))
        parts.append(table.filter(mask))
    return pa.concat_tables(parts).combine_chunks()


SourceOrder = Callable[[set[str]], Sequence[str]]
"""Returns the names of sources in order."""

Shard = tuple[str, dict[str, dict[str, int]]]
"""The path of a shard, and its rows by split and source."""


def plan_files(
    split: str, shards: Sequence[Shard], rows_per_file: int, order: SourceOrder | None = None
) -> list[DataFile]:
    """Returns the files of one split: runs of whole shards, of about equal size and about `rows_per_file` rows at most.

    `shards` are in the order of their ids. With an `order`, no file mixes sources, and the files are in the order of
    their sources.
    """
    sources: Sequence[str | None] = [None]
    if order is not None:
        sources = order({source for _, rows in shards for source in rows.get(split, {})})
    groups = [(source, group) for source in sources for group in _groups(_sizes(split, source, shards), rows_per_file)]
    return [
        DataFile(split, f"{split}-{number:05d}-of-{len(groups):05d}", tuple(group), source)
        for number, (source, group) in enumerate(groups)
    ]


def _sizes(split: str, source: str | None, shards: Sequence[Shard]) -> list[tuple[str, int]]:
    """Returns the shards that have rows of a split and source, and how many they have."""
    rows = ((path, sum(n for name, n in by.get(split, {}).items() if source in (None, name))) for path, by in shards)
    return [(path, number) for path, number in rows if number]


def _groups(shards: Sequence[tuple[str, int]], rows_per_file: int) -> Iterator[list[str]]:
    total = sum(number for _, number in shards)
    files = -(-total // rows_per_file)
    groups: dict[int, list[str]] = {}
    before = 0
    for path, number in shards:
        # All rows are cut into equal pieces; a shard belongs to the piece with its middle row.
        groups.setdefault((2 * before + number) * files // (2 * total), []).append(path)
        before += number
    yield from groups.values()
