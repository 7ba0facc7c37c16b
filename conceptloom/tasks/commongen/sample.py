"""Stage sample: draws candidates from all concept sets, and the sets of dev and test (CommonGen, section 3.1)."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.arrays.columns import one_array, repeated
from conceptloom.arrays.concept_sets import found_in
from conceptloom.arrays.ids import set_ids
from conceptloom.arrays.runs import hash_order, run_starts
from conceptloom.arrays.types import Bool, Column, Int64, UInt64
from conceptloom.concepts import CANDIDATES as BY_SCORE
from conceptloom.concepts import SAMPLED, Degrees, Draws, Lexicon, Quotas, rank, score
from conceptloom.concepts.sampling import arrival_times
from conceptloom.corpus.clashes import SEPARATOR
from conceptloom.ledger import Ledger
from conceptloom.schemas import REJECTED, REPEATED, STRINGS
from conceptloom.splits import SPLIT_NAMES
from conceptloom.tables import from_ipc, read_ipc, to_ipc, write_table
from conceptloom.tasks.base import RECEIPTS, Output, receipt, shard_name
from conceptloom.tasks.commongen.mine import SIZE_UNIT, TERMS, sizes_of
from conceptloom.tasks.merging import above
from conceptloom.tasks.shards import read_shard

NOT_DRAWN = "not_drawn"
QUANTILES = (5, 25, 50, 75, 95)
SUPPORT_OF = "support of "
STRAIGHT = 256
"""Up to this number of shards, all are drawn at once: to wait for some of them would take longer than it saves."""
_NONE: Mapping[str, int] = {}
_NO_ROWS = REJECTED.empty_table()

SETS = "sets.parquet"
"""The candidates, by id; schema CANDIDATES."""

CANDIDATES = pa.schema(
    [
        ("id", pa.string()),
        ("set", pa.uint64()),
        ("concepts", STRINGS),
        ("numbers", SAMPLED.field("concepts").type),
        *(SAMPLED.field(name) for name in ("support", "words", "length", "degree", "score", "arrival")),
        ("rank", pa.int32()),
        ("split", pa.string()),
    ]
)
"""A candidate: its concepts, sorted, and as numbers; its rank among those of its size, from 1; the split
that it is intended for."""


@dataclass(frozen=True)
class MinedSets:
    """The result of stage mine, and its number of sets: what a score depends on besides the set itself."""

    directory: str
    sets: int
    terms: str
    """The hash of TERMS, by which a process recognises the file that it has read already."""

    def scored(self, shard: int) -> pa.Table:
        """Returns the sets of one shard with ids and scores: schema SAMPLED without its last field."""
        mined = read_shard(storage.join(self.directory, shard_name("mined", shard)))
        _, degrees, hashes = _terms(self)
        batches = [score(batch, degrees, hashes) for batch in mined.to_batches() if len(batch)]
        return pa.Table.from_batches(batches, pa.schema(list(SAMPLED)[:-1]))

    def concepts(self, numbers: Column) -> pa.ListArray:
        """Returns the concepts of sets, sorted by spelling, from their numbers."""
        return _terms(self)[0].spelled(numbers)

    def joined(self, numbers: Column) -> pa.Array:
        """Returns the same as one string for each set, joined by `#`."""
        return _terms(self)[0].joined(numbers, SEPARATOR)


@lru_cache(maxsize=1)
def _terms(mined: MinedSets) -> tuple[Lexicon, Degrees, UInt64]:
    table = read_shard(storage.join(mined.directory, TERMS))
    lexicon = Lexicon(table["term"].combine_chunks())
    return lexicon, Degrees(mined.sets, table["degree"].to_numpy()), lexicon.hashes()


@dataclass(frozen=True)
class DrawShard:
    """Scores the sets of one shard and draws a sample: the samples of the shards contain the sample of all sets.

    Drawn from many shards, nearly all sets of a sample are drawn in vain. So the shards from `shards_ahead` on leave
    out what arrives after the sample of those before, which are drawn first.
    """

    mined: MinedSets
    draws: Draws
    outputs: ClassVar[tuple[str, ...]] = ("drawn",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields rows of schema DRAWN, for MergeDraws; `side` is the result of `LastArrival`, if there are any."""
        last = {int(draw): float(time) for draw, time in json.loads(side).items()} if side else {}
        yield Output("drawn", above(bucket), to_ipc(self.draws.of(self.mined.scored(bucket), last)))


def shards_ahead(shards: int) -> int:
    """Returns how many shards are drawn before the others: all, or so many that both parts send equally much.

    >>> shards_ahead(256), shards_ahead(10_000)
    (256, 100)
    """
    return shards if shards <= STRAIGHT else math.isqrt(shards)


@dataclass(frozen=True)
class LastArrival:
    """Merges the samples of the shards that are drawn first."""

    draws: Draws

    def __call__(self, blocks: list[bytes]) -> bytes:
        """Returns when the last set of each draw arrives, as JSON that is exact."""
        last = self.draws.last(merge_all(blocks, self.draws))
        return json.dumps({draw: repr(time) for draw, time in last.items()}).encode()


@dataclass(frozen=True)
class MergeDraws:
    """Merges some samples into one of the same size: a level of the tree from the shards to `Choose`.

    Only the first sets of each draw can still be drawn, so no bucket gets more than TOGETHER times their number.
    """

    draws: Draws
    outputs: ClassVar[tuple[str, ...]] = ("samples",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields rows of schema DRAWN."""
        yield Output("samples", above(bucket), to_ipc(merge_all(list(blocks), self.draws)))


def merge_all(blocks: list[bytes], draws: Draws) -> pa.Table:
    """Returns the draws from all sets of some blocks (schema DRAWN), given the draws from each."""
    drawn = draws.merge([])
    for block in blocks:
        # One by one, so that at most two samples are unpacked at a time.
        drawn = draws.merge([drawn, read_ipc(block)])
    return drawn


@dataclass(frozen=True)
class Choose:
    """Merges the last samples, ranks the sets, and gives dev and test theirs."""

    mined: MinedSets
    draws: Draws
    quotas: Quotas

    def __call__(self, blocks: list[bytes]) -> bytes:
        """Returns the candidates (schema CANDIDATES, by id) as bytes; raises BuildError if the quotas are larger."""
        drawn, by_score = distinct_sets(merge_all(blocks, self.draws), self.draws.seed)
        ranked = rank(drawn, self.quotas, self.draws.seed, by_score)
        splits = pa.array([SPLIT_NAMES[split] for split in ranked.splits.tolist()], pa.string())
        columns = {
            **{name: drawn[name] for name in SAMPLED.names},
            "id": set_ids(drawn["set"].to_numpy()),
            "concepts": self.mined.concepts(drawn["concepts"]),
            "numbers": drawn["concepts"],
            "rank": pa.array(ranked.ranks + 1, pa.int32()),
            "split": splits,
        }
        return to_ipc(pa.table([columns[name] for name in CANDIDATES.names], schema=CANDIDATES))


def distinct_sets(drawn: pa.Table, seed: int) -> tuple[pa.Table, Bool]:
    """Returns each drawn set once, by id, with the arrival that its score gives it; and which are candidates by score.

    `drawn` has schema DRAWN.
    """
    ordered = drawn.sort_by([("set", "ascending"), ("draw", "ascending")]).combine_chunks()
    rows = run_starts(ordered["set"].to_numpy())
    once = ordered.take(pa.array(rows)).combine_chunks()
    times = arrival_times(once["set"].to_numpy(), once["score"].to_numpy(), seed)
    place = SAMPLED.get_field_index("arrival")
    return once.set_column(place, SAMPLED.field(place), pa.array(times)), once["draw"].to_numpy() == BY_SCORE


@dataclass(frozen=True)
class WriteCandidates:
    """Writes the candidates."""

    directory: str
    outputs: ClassVar[tuple[str, ...]] = (RECEIPTS,)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Writes SETS from `side`, the result of `Choose`."""
        table = from_ipc([side or b""], CANDIDATES)
        ledger = set_ledger(kept=sizes_of(table["concepts"]))
        largest = {"support": pc.max(table["support"]).as_py() or 0}
        file = write_table(storage.join(self.directory, SETS), table)
        yield receipt(bucket, ledger, [file], largest=largest, **supports_of(table))


def supports_of(candidates: pa.Table) -> dict[str, dict[str, int]]:
    """Returns the support of dev's and test's sets at QUANTILES (in percent), by SUPPORT_OF with the split's name."""
    supports, result = candidates["support"].to_numpy(), dict[str, dict[str, int]]()
    for split in list(SPLIT_NAMES.values())[1:]:
        own = supports[pc.equal(candidates["split"], split).to_numpy()]
        if len(own):
            found = np.percentile(own, QUANTILES, method="inverted_cdf").astype(int).tolist()
            result[SUPPORT_OF + split] = dict(zip(map(str, QUANTILES), found))
    return result


@lru_cache(maxsize=1)
def _drawn(candidates: bytes) -> UInt64:
    return np.asarray(read_ipc(candidates)["set"].to_numpy())


@dataclass(frozen=True)
class LeaveOut:
    """Records the sets of one shard that were not drawn."""

    mined: MinedSets
    directory: str
    outputs: ClassVar[tuple[str, ...]] = (RECEIPTS,)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Writes `rejected`; `side` is the result of `Choose`."""
        scored = self.mined.scored(bucket)
        sets = scored["set"].to_numpy()
        left = np.flatnonzero(~found_in(_drawn(side or b""), sets))
        left = left[hash_order(sets[left])]
        rejected = self._rejected(scored, left)
        # Many sets of one shard have the same score.
        columns = {*REPEATED, "detail"}
        file = write_table(storage.join(self.directory, shard_name("rejected", bucket)), rejected, columns)
        yield receipt(bucket, set_ledger(sizes_of(scored["concepts"]), rejected), [file])

    def _rejected(self, scored: pa.Table, left: Int64) -> pa.Table:
        """The rows `left` of the scored sets, as rejected rows in that order."""
        rows, reasons = pa.array(left), repeated(NOT_DRAWN, len(left))
        sizes = one_array(pc.list_value_length(scored["concepts"])).take(rows)
        details = _details(one_array(scored["score"]).take(rows))
        # As strings, since it takes longer to put lists in order.
        texts = self.mined.joined(scored["concepts"]).take(rows)
        return rejected_sets(scored["set"].to_numpy()[left], sizes, texts, "sample", reasons, details)


def _details(scores: pa.Array) -> pa.Array:
    """The scores as text, each distinct one written once."""
    distinct = scores.dictionary_encode()
    texts = pc.binary_join_element_wise("score", distinct.dictionary.cast(pa.string()), " ")
    return texts.take(distinct.indices)


def rejected_sets(sets: UInt64, sizes: Column, texts: Column, stage: str, reasons: Column, details: Column) -> pa.Table:
    """Returns rows of schema REJECTED for concept sets, which are shown as `texts`, and whose source is their size.

    What repeats is of dictionary type.
    """
    sizes = one_array(sizes).dictionary_encode()
    names = pc.binary_join_element_wise(sizes.dictionary.cast(pa.string()), SIZE_UNIT, " ")
    source = pa.DictionaryArray.from_arrays(sizes.indices, names)
    columns = [set_ids(sets), texts, source, repeated("", len(sets)), repeated(stage, len(sets)), reasons, details]
    return pa.table(columns, names=REJECTED.names)


def set_ledger(
    read: Mapping[str, int] = _NONE, rejected: pa.Table = _NO_ROWS, kept: Mapping[str, int] = _NONE
) -> Ledger:
    """Returns a ledger of concept sets, from the numbers read and kept by size, and rejected rows (`rejected_sets`)."""
    ledger = Ledger()
    for name, number in read.items():
        ledger.of(name).read += number
    for name, number in kept.items():
        ledger.of(name).kept += number
    for row in rejected.group_by(["source", "reason"]).aggregate([([], "count_all")]).to_pylist():
        ledger.of(row["source"]).rejected[row["reason"]] += row["count_all"]
    return ledger
