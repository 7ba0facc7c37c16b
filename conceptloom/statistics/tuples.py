"""The statistics of CommonGen's final version (table 1): sets by size, and concept tuples that train never shows.

Distributed: `count_tuples` of each block of a split, merged; `tuple_statistics` of a split's counts and train's.
Memory: 8 bytes for each distinct tuple of a split.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.concept_sets import ConceptSets, found_in, stored_sets, tuple_hashes
from conceptloom.arrays.runs import distinct
from conceptloom.arrays.types import UInt64
from conceptloom.examples import Example
from conceptloom.json_values import JsonObject
from conceptloom.statistics.examples import examples_table
from conceptloom.statistics.storing import StoredSets, sets_of
from conceptloom.statistics.text_table import aligned
from conceptloom.statistics.unseen import WIDTHS

_NAMES = ("concepts", "pairs", "triples")
_STORED = {"orderings": "  in distinct orders", "runs": "  in runs of equal rows"}
_RUNS = (
    "\n\nA set counts once, in whatever order. The paper's 32,651 sets of train are runs of equal lines of its text."
)
_NOTHING = np.empty(0, dtype=np.uint64)


@dataclass(frozen=True)
class TupleCounts:
    """The counts of some examples."""

    sizes: Mapping[int, int] = field(default_factory=dict)
    """How many concept sets there are of each size."""
    sentences: int = 0
    words: int = 0
    """The sum of the sentences' lengths, in pieces separated by blanks: this gives the published averages."""
    tuples: tuple[UInt64, ...] = (_NOTHING,) * len(WIDTHS)
    """The hashes of the distinct unordered concepts, pairs and triples, sorted."""

    def merge(self, other: "TupleCounts") -> "TupleCounts":
        """Returns the counts of both, as if counted at once; associative and commutative."""
        return TupleCounts(
            dict(sorted((Counter(self.sizes) + Counter(other.sizes)).items())),
            self.sentences + other.sentences,
            self.words + other.words,
            tuple(distinct(np.concatenate(both)) for both in zip(self.tuples, other.tuples)),
        )


def count_tuples(examples: pa.Table) -> TupleCounts:
    """Returns the counts of a block of schema EXAMPLES; each set is one row with all its sentences (`load_examples`).

    A concept that a set holds twice (as noun and as verb) makes a pair with itself, because the published numbers were
    counted so. Sets of a build hold each concept once.
    """
    stored, texts = stored_sets(examples["concepts"]), pc.utf8_trim_whitespace(pc.list_flatten(examples["sentences"]))
    pieces = pc.list_value_length(pc.utf8_split_whitespace(texts.filter(pc.not_equal(texts, ""))))
    sizes = dict(sorted(Counter(stored.sizes.tolist()).items()))
    words = pc.sum(pieces, min_count=0).as_py()
    return TupleCounts(sizes, len(texts), words, tuple(_tuples(stored, width) for width in WIDTHS))


def merge_tuples(parts: Iterable[TupleCounts]) -> TupleCounts:
    """Returns the counts of several blocks as one."""
    return reduce(TupleCounts.merge, parts, TupleCounts())


@dataclass(frozen=True)
class TupleStatistics:
    """One column of the table."""

    sets: int
    sizes: Mapping[int, int]
    sentences: int
    average_length: float
    """In words."""
    distinct: tuple[int, ...]
    """The number of distinct concepts, pairs, triples."""
    unseen: tuple[int, ...] | None
    """How many of these no train set holds; None for train itself."""
    stored: Mapping[str, int] = field(default_factory=dict)
    """Other numbers of the sets, as they are stored: `orderings` and `runs` (see StoredSets), where they differ."""

    def to_json(self) -> JsonObject:
        """Returns JSON values; means, and shares of unseen tuples (per cent), are rounded to two digits."""
        shares = [round(100 * part / max(1, whole), 2) for part, whole in zip(self.unseen or (), self.distinct)]
        return {
            "sets": self.sets,
            **self.stored,
            "sizes": {str(size): count for size, count in self.sizes.items()},
            "sentences": self.sentences,
            "sentences_per_set": round(self.sentences / max(1, self.sets), 2),
            "average_length": round(self.average_length, 2),
            "distinct": dict(zip(_NAMES, self.distinct)),
            "unseen": None if self.unseen is None else dict(zip(_NAMES, self.unseen)),
            "unseen_percent": None if self.unseen is None else dict(zip(_NAMES, shares)),
        }


def tuple_statistics(counts: TupleCounts, train: TupleCounts | None = None) -> TupleStatistics:
    """Returns the column of a split; unseen tuples are counted if train's counts are given."""
    unseen = None
    if train is not None:
        unseen = tuple(int((~found_in(seen, own)).sum()) for seen, own in zip(train.tuples, counts.tuples))
    average = counts.words / max(1, counts.sentences)
    return TupleStatistics(
        sets=sum(counts.sizes.values()),
        sizes=counts.sizes,
        sentences=counts.sentences,
        average_length=average,
        distinct=tuple(map(len, counts.tuples)),
        unseen=unseen,
    )


def tuple_columns(train: Sequence[Example], held: Mapping[str, Sequence[Example]]) -> dict[str, TupleStatistics]:
    """Returns the columns of train and of the splits that are `held` out, by name; sets are distinct sets.

    A split may have any number of rows for a set, in any order of its concepts.
    """
    splits = {name: sets_of(rows) for name, rows in {"train": train, **held}.items()}
    counts = {name: count_tuples(examples_table(split.examples)) for name, split in splits.items()}
    return {
        name: replace(
            tuple_statistics(counts[name], None if name == "train" else counts["train"]), stored=_differing(split)
        )
        for name, split in splits.items()
    }


def tuple_table(splits: Mapping[str, TupleStatistics]) -> str:
    """Returns the columns as a plain text table, in the order of the paper's rows. What was not counted is a dash."""
    columns = [statistics.to_json() for statistics in splits.values()]
    sizes = sorted({size for column in columns for size in column["sizes"]}, key=int)
    rows = [
        ("concept sets", *(f"{column['sets']:,}" for column in columns)),
        *_stored_rows(columns),
        *((f"  size {size}", *(f"{column['sizes'].get(size, 0):,}" for column in columns)) for size in sizes),
        ("sentences", *(f"{column['sentences']:,}" for column in columns)),
        ("  per set", *(f"{column['sentences_per_set']:.2f}" for column in columns)),
        ("average length", *(f"{column['average_length']:.2f}" for column in columns)),
        *((f"unique {name}", *(f"{column['distinct'][name]:,}" for column in columns)) for name in _NAMES),
        *((f"unseen {name} %", *(_share(column["unseen_percent"], name) for column in columns)) for name in _NAMES),
    ]
    return aligned([("", *splits), *rows]) + (_RUNS if any("runs" in column for column in columns) else "")


def _differing(split: StoredSets) -> dict[str, int]:
    numbers = {"orderings": split.orderings, "runs": split.runs}
    return {name: number for name, number in numbers.items() if number != len(split.examples)}


def _stored_rows(columns: Sequence[JsonObject]) -> list[tuple[str, ...]]:
    return [
        (label, *(f"{column.get(name, column['sets']):,}" for column in columns))
        for name, label in _STORED.items()
        if any(name in column for column in columns)
    ]


def _share(shares: Mapping[str, float] | None, name: str) -> str:
    return "-" if shares is None else f"{shares[name]:.2f}"


def _tuples(stored: ConceptSets, width: int) -> UInt64:
    """The hashes of the distinct unordered combinations of each row's concepts, sorted."""
    keys = [_NOTHING]
    for _, matrix in stored.by_size(least=width):
        places = np.array(list(combinations(range(matrix.shape[1]), width)))
        keys.append(tuple_hashes(np.sort(matrix, axis=1)[:, places]).ravel())
    return distinct(np.concatenate(keys))
