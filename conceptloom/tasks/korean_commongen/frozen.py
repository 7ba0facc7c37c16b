"""Stage split with frozen validation and test: copies them from an earlier build, and protects them from train."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from conceptloom import storage
from conceptloom.json_values import JsonObject
from conceptloom.ledger import Ledger
from conceptloom.splits import (
    PAIR_HOLDERS,
    Policy,
    Protection,
    divide_protected,
    frozen_assignment,
    pair_holders,
    protect,
    sum_holders,
)
from conceptloom.tables import from_ipc, read_ipc, to_ipc
from conceptloom.tasks.base import RECEIPTS, Output, receipt, shard_name
from conceptloom.tasks.frozen import FrozenFile, copy_frozen
from conceptloom.tasks.korean_commongen.split import DIVIDED, routed, statistics_of, write_division
from conceptloom.tasks.shards import read_shard

_HELD, _HOLDERS = b"h", b"p"


def frozen_rows(file: FrozenFile, data: bytes) -> pa.Table:
    """Returns the rows of a frozen data file as rows of a split corpus (schema DIVIDED), without morphemes."""
    rows = pq.read_table(BytesIO(data), use_threads=False)
    texts, empty = rows["target"], pa.array([[]] * len(rows), DIVIDED.field("morphemes").type)
    columns = [rows["id"], texts, rows["source"], rows["locator"], pa.repeat(pa.scalar(1, pa.int32()), len(rows))]
    return pa.table([*columns, rows["concepts"], empty, pa.repeat(file.split, len(rows))], schema=DIVIDED)


@dataclass(frozen=True)
class TakeFrozen:
    """Copies the frozen files into the stage, so that exactly what will be published is protected."""

    files: tuple[FrozenFile, ...]
    source: str
    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("held", "statistics", RECEIPTS)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields the assignment of the frozen rows, their statistics, and the receipt of the copies."""
        parts, copies = [DIVIDED.empty_table()], list[JsonObject]()
        for file, data, copy in copy_frozen(self.files, self.source, self.directory):
            copies.append(copy)
            if file.is_data:
                parts.append(frozen_rows(file, data))
        rows = pa.concat_tables(parts)
        yield Output("held", 0, _HELD + to_ipc(rows.select(["id", "concepts", "split"])))
        yield from statistics_of(rows)
        yield receipt(bucket, Ledger(), copies)


@dataclass(frozen=True)
class CountHolders:
    """Counts the pairs of the held-out sets in one shard, and sends the counts to the buckets of the pairs."""

    policy: Policy
    buckets: int
    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("holders",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields rows of schema PAIR_HOLDERS; `side` is the result of `Protect` for the held-out rows alone."""
        sentences = read_shard(storage.join(self.directory, shard_name("sentences", bucket)))
        counts = pair_holders(sentences, Protection.from_bytes(side or b"").assignment, self.policy)
        yield from (Output("holders", *block) for block in routed(counts, "pair", self.buckets))


@dataclass(frozen=True)
class SumHolders:
    """Adds up the counts of the pairs of one bucket."""

    outputs: ClassVar[tuple[str, ...]] = ("holders",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields rows of schema PAIR_HOLDERS, for `Protect`."""
        total = PAIR_HOLDERS.empty_table().to_batches()
        for block in blocks:
            total = [sum_holders([*total, *read_ipc(block).to_batches()])]
        yield Output("holders", 0, _HOLDERS + to_ipc(pa.Table.from_batches(total, PAIR_HOLDERS)))


@dataclass(frozen=True)
class Protect:
    """Chooses the pairs of the held-out sets that train must not show."""

    policy: Policy

    def __call__(self, blocks: list[bytes]) -> bytes:
        """Returns the Protection as bytes, from the frozen rows and, if given, the total holders of their pairs."""
        held = next(read_ipc(block[1:]) for block in blocks if block[:1] == _HELD)
        holders = from_ipc((block[1:] for block in blocks if block[:1] == _HOLDERS), PAIR_HOLDERS)
        return protect(frozen_assignment(held), sum_holders(holders.to_batches()), self.policy).to_bytes()


@dataclass(frozen=True)
class DivideProtected:
    """Divides one shard: each of its sentences goes to train, or is dropped with a reason."""

    policy: Policy
    source_directory: str
    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("statistics", RECEIPTS)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Writes `sentences` (schema DIVIDED) and `rejected`; yields counts and the receipt."""
        sentences = read_shard(storage.join(self.source_directory, shard_name("sentences", bucket)))
        division = divide_protected(sentences, Protection.from_bytes(side or b""), self.policy)
        yield from write_division(self.directory, bucket, sentences, division)
