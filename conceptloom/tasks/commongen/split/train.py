"""Stage split of concept sets: the sentences of train's sets, without those of dev and test, and at most so many."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.arrays.columns import one_array
from conceptloom.hashing import bucket_of
from conceptloom.ledger import Ledger, reject
from conceptloom.tables import by_bucket, from_ipc, to_ipc, write_table
from conceptloom.tasks.base import RECEIPTS, Output, receipt, shard_name
from conceptloom.tasks.commongen.split.cap import COUNTS, count_sentences, cuts_of, within
from conceptloom.tasks.commongen.split.judge import TRAIN, of_splits
from conceptloom.tasks.commongen.split.known import Known, known
from conceptloom.tasks.commongen.split.references import Stages, without_copies

OVER = "over_train_references"
"""Why a sentence is left out of a set that has enough; also the name of the count of such sentences, by source."""
CUT = "cut_train_sets"
"""The name of the count of the sets from which sentences are left out."""
LEFT_OUT = "rejected-captions"
"""The kind of file with these sentences: those of one shard, a row for each set, by id; schema REJECTED."""


def train_sentences(stages: Stages, shard: int, sets: pa.Table, held: pa.Table) -> pa.Table:
    """Returns the sentences of a shard that may be those of some sets (JUDGED), schema REFERENCES, by (set, id)."""
    return without_copies(stages.references(shard, sets), held["text"])


@dataclass(frozen=True)
class CountHot:
    """Counts the sentences of those sets of train that occur in more than `most`, in one shard."""

    stages: Stages
    buckets: int
    most: int
    outputs: ClassVar[tuple[str, ...]] = ("counts",)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields rows of schema COUNTS to the buckets of their sets; `side` is as for `known`."""
        sets, held, _ = known(side or b"")
        train = of_splits(sets, TRAIN)
        hot = train.filter(pc.greater(train["support"], self.most))
        counts = count_sentences(train_sentences(self.stages, bucket, hot, held), bucket)
        for number, data in by_bucket(counts, bucket_of(counts["set"].to_numpy(), self.buckets)):
            yield Output("counts", number, data)


@dataclass(frozen=True)
class CutHot:
    """Finds where the sets of one bucket have enough sentences."""

    most: int
    outputs: ClassVar[tuple[str, ...]] = ("cuts", RECEIPTS)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields rows of schema CUTS, and the receipt with the number of sets that are cut, if any are."""
        cuts = cuts_of(from_ipc(blocks, COUNTS), self.most)
        if len(cuts):
            yield Output("cuts", 0, to_ipc(cuts))
            yield receipt(bucket, Ledger(), [], **{CUT: {"all": len(cuts)}})


@dataclass(frozen=True)
class FindTrain:
    """Finds the sentences of train's sets in one shard, without those that are references of dev or test."""

    stages: Stages
    buckets: int
    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("references", RECEIPTS)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields rows of schema REFERENCES to the buckets of their sets; `side` is as for `known`.

        If any set is cut, writes LEFT_OUT and yields its receipt.
        """
        every = known(side or b"")
        found = train_sentences(self.stages, bucket, of_splits(every.sets, TRAIN), every.held)
        if len(every.cuts):
            keep = pa.array(within(found, every.cuts, bucket))
            yield self._leave_out(bucket, found.filter(pc.invert(keep)), every)
            found = found.filter(keep)
        for number, data in by_bucket(found, bucket_of(found["set"].to_numpy(), self.buckets)):
            yield Output("references", number, data)

    def _leave_out(self, bucket: int, over: pa.Table, every: Known) -> Output:
        path = storage.join(self.directory, shard_name(LEFT_OUT, bucket))
        file = write_table(path, left_out(over.sort_by([("id", "ascending"), ("set", "ascending")]), every.sets))
        return receipt(bucket, Ledger(), [file], **{OVER: Counter(over["source"].to_pylist())})


def left_out(over: pa.Table, sets: pa.Table) -> pa.Table:
    """Returns rows of schema REJECTED for sentences (REFERENCES) that sets (JUDGED) do not keep; they name the set."""
    own = sets["concepts"].take(pc.index_in(over["set"], value_set=one_array(sets["set"])))
    return reject(over, "split", OVER, pc.binary_join(own, "#"))
