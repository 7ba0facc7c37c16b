"""The statistics of a data set, as in Korean CommonGen's table 1."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from conceptloom.arrays.concept_sets import concept_sets
from conceptloom.examples import Example
from conceptloom.json_values import JsonObject
from conceptloom.statistics.additional import Additional, Extractor, additional_morphemes
from conceptloom.statistics.counts import SIZE_BINS, Counts, count_block
from conceptloom.statistics.examples import examples_table
from conceptloom.statistics.unseen import Unseen, eval_tuples, seen_in, unseen


@dataclass(frozen=True)
class SplitStatistics:
    """One column of the table. None is what was not counted: unseen tuples of train, or extra references."""

    sets: int
    sizes: tuple[int, ...]
    unique_concepts: int
    sentences: int
    average_length: float
    source_rates: Mapping[str, float]
    unseen: Unseen | None = None
    additional: Additional | None = None

    def to_json(self) -> JsonObject:
        """Returns JSON values under the names of the fields; sizes under the names of SIZE_BINS."""
        return {
            "sets": self.sets,
            "sizes": dict(zip(SIZE_BINS, self.sizes)),
            "unique_concepts": self.unique_concepts,
            "unseen": self.unseen.to_json() if self.unseen else None,
            "additional_morphemes": self.additional.to_json() if self.additional else None,
            "sentences": self.sentences,
            "average_length": self.average_length,
            "source_rates": dict(self.source_rates),
        }


@dataclass(frozen=True)
class DatasetStatistics:
    """The table: a column for each split that there is."""

    train: SplitStatistics
    validation: SplitStatistics | None
    test: SplitStatistics

    def splits(self) -> dict[str, SplitStatistics]:
        """Returns the splits that there are, by name."""
        columns = {"train": self.train, "validation": self.validation, "test": self.test}
        return {name: column for name, column in columns.items() if column is not None}

    def to_json(self) -> JsonObject:
        """Returns the JSON values of each split, by its name."""
        return {name: column.to_json() for name, column in self.splits().items()}


def split_statistics(
    counts: Counts, unseen: Unseen | None = None, additional: Additional | None = None
) -> SplitStatistics:
    """Returns the column of merged counts; average length and rates (per cent of the sets) have two digits."""
    return SplitStatistics(
        sets=counts.sets,
        sizes=counts.sizes,
        unique_concepts=len(counts.concepts),
        sentences=counts.sentences,
        average_length=round(counts.characters / max(1, counts.sentences), 2),
        source_rates={name: round(100 * number / counts.sets, 2) for name, number in counts.sources.items()},
        unseen=unseen,
        additional=additional,
    )


def dataset_statistics(
    train: Sequence[Example],
    validation: Sequence[Example] | None,
    test: Sequence[Example],
    extract: Extractor | None = None,
) -> DatasetStatistics:
    """Returns the statistics of a data set in memory. Additional morphemes are counted if `extract` is given."""
    block = examples_table(train)
    return DatasetStatistics(
        train=split_statistics(count_block(block)),
        validation=None if validation is None else _held_out(validation, block, extract),
        test=_held_out(test, block, extract),
    )


def block_statistics(blocks: Mapping[str, pa.Table]) -> dict[str, SplitStatistics]:
    """Returns the column of each split, given its examples (schema EXAMPLES); unseen tuples are those against train."""
    found, train = {}, concept_sets(blocks["train"]["concepts"]) if "train" in blocks else None
    for split, block in blocks.items():
        missing = None
        if split != "train" and train is not None:
            tuples = eval_tuples(block)
            missing = unseen(tuples, seen_in(train, tuples))
        found[split] = split_statistics(count_block(block), missing)
    return found


def _held_out(rows: Sequence[Example], train: pa.Table, extract: Extractor | None) -> SplitStatistics:
    block = examples_table(rows)
    tuples = eval_tuples(block)
    additional = None
    if extract is not None and any(len(row.sentences) > 1 for row in rows):
        additional = additional_morphemes(rows, extract)
    seen = seen_in(concept_sets(train["concepts"]), tuples)
    return split_statistics(count_block(block), unseen(tuples, seen), additional)
